import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Cancellation } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { parseDuration } from '../base/duration.ts';
import { errorFields } from '../base/log.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Source } from '../exchange/exchange.ts';
import { refusalFor } from '../exchange/refusal.ts';
import { handleRequest } from '../pipeline/handle-request.ts';
import type { FrontendHTTP } from '../resources/proxy-policy/fields/frontend-http.ts';
import { clientFrames } from './client-frames.ts';
import { type DataPlane, type DoorPlane, LIMITS } from './data-plane.ts';
import { connectionWindow, headerListSize, sessionOptions } from './http2-settings.ts';
import { judgedConnection } from './judged-connection.ts';
import { receivedBy } from './received.ts';
import { receiveHttp2 } from './receive-http2.ts';
import { OpenStreams } from './open-streams.ts';
import { replyHttp2 } from './reply-http2.ts';
import { sourceOf } from './source.ts';
import { type Refused, tellRefusals } from './tell-refusals.ts';

/** HTTP/2 on the connections of one data port. */
export interface Http2 {
  /** Speaks it on a connection that stands paused before its first byte, under the limits of its port. */
  readonly accept: (socket: Socket, limits: FrontendHTTP) => void;
  /** Tells every client that no further request is taken on its connection; those under way are answered. */
  readonly drain: () => void;
}

/** One connection: what all of its streams share. */
interface Connection extends DataPlane {
  readonly port: number;
  readonly source: Source;
  readonly http: FrontendHTTP;
  readonly refused: Refused;
}

export function createHttp2(port: number, plane: DoorPlane): Http2 {
  const sessions = new Set<ServerHttp2Session>();
  const { clock } = plane;
  const { log } = plane.services;
  const refused = tellRefusals('requests refused', port, { clock, log });
  return {
    accept: (socket, limits) => {
      const pings = { unanswered: 0 };
      const streams = new OpenStreams();
      const frames = clientFrames({ awaitsPong: () => pings.unanswered > 0, handed: streams.handed });
      const tooWide = (stream: number): void => {
        refused('a window of a stream beyond 2^31-1');
        streams.reset(stream);
      };
      const refuse = (reason: string): void => {
        session.destroy(new Error(reason));
      };
      const session = performServerHandshake(
        judgedConnection(socket, frames, { backlog: plane.backlog, refused: refuse, tooWide }),
        sessionOptions(limits),
      );
      sessions.add(session);
      const connection: Connection = { ...plane, port, source: sourceOf(socket), http: limits, refused };
      const window = connectionWindow(limits);
      if (window !== undefined) session.setLocalWindowSize(window);
      session.on('stream', (stream, _headers, _flags, raw: readonly string[]) => {
        stream.once('close', () => {
          frames.over(streams.forget(stream));
        });
        // One that came with its own reset is over before anybody could be asked.
        if (streams.open(stream) && !stream.aborted) serve(stream, raw, connection);
      });
      session.on('error', (error: Error) => {
        log.warn('HTTP/2 connection failed', { port, client: connection.source.address, reason: error.message });
      });
      const stops = [closeWhenOld(session, limits, clock), keepPinging(session, limits, { clock, pings })];
      // Nobody asked for anything for as long as a connection of HTTP/1 may idle.
      session.setTimeout({ ...LIMITS, ...plane.limits }.idleTimeout, () => {
        session.close();
      });
      // Whoever says no more on a connection of HTTP/2 has gone, and answers to nothing of it can be of use.
      socket.once('end', () => {
        session.destroy();
      });
      session.once('close', () => {
        sessions.delete(session);
        for (const stop of stops) stop();
        socket.destroy();
      });
    },
    drain: () => {
      for (const session of sessions) session.close();
    },
  };
}

/** FRONT-035 to FRONT-037: GOAWAY; streams under way come to their end. */
function closeWhenOld(session: ServerHttp2Session, { maxConnectionDuration }: FrontendHTTP, clock: Clock): () => void {
  const age = parseDuration(maxConnectionDuration ?? '');
  if (age === undefined) return () => {};
  return clock.after(age, () => {
    session.close();
  });
}

/** FRONT-033, FRONT-034: a ping each interval, and the end of a connection that leaves one unanswered. */
function keepPinging(
  session: ServerHttp2Session,
  limits: FrontendHTTP,
  { clock, pings }: { readonly clock: Clock; readonly pings: { unanswered: number } },
): () => void {
  const interval = parseDuration(limits.http2KeepaliveInterval ?? '');
  if (interval === undefined) return () => {};
  const patience = parseDuration(limits.http2KeepaliveTimeout ?? '') ?? PING_PATIENCE;
  let stopWaiting: (() => void) | undefined;
  const ping = (): void => {
    stopWaiting = clock.after(patience, () => {
      session.destroy();
    });
    pings.unanswered += 1;
    session.ping(() => {
      pings.unanswered -= 1;
      stopWaiting?.();
      stopNext = clock.after(interval, ping);
    });
  };
  let stopNext = clock.after(interval, ping);
  return () => {
    stopNext();
    stopWaiting?.();
  };
}

/** Milliseconds for the answer to a ping where nothing is said about it. docs/decisions/frontend-http2.md */
const PING_PATIENCE = 20_000;

function serve(stream: ServerHttp2Stream, raw: readonly string[], connection: Connection): void {
  const { clock, services, source, limits: ours } = connection;
  let rawTrailers: readonly string[] = [];
  stream.on('trailers', (_headers, _flags, fields: readonly string[]) => {
    rawTrailers = fields;
  });
  const waitsForWord = raw.some((name, at) => name === 'expect' && raw[at + 1]?.toLowerCase() === '100-continue');
  const beforeFirst = (): void => {
    if (!stream.headersSent) stream.additionalHeaders({ ':status': 100 });
  };
  const reading = {
    clock,
    patience: ours?.bodyIdleTimeout ?? LIMITS.bodyIdleTimeout,
    ...(waitsForWord && { beforeFirst }),
  };
  const scheme = source.tls === undefined ? 'http' : 'https';
  const request = receiveHttp2(stream, raw, { scheme, rawTrailers: () => rawTrailers, reading });
  const method = request instanceof ProxyError ? 'GET' : request.method;
  if (request instanceof ProxyError || sizeOf(raw) > headerListSize(connection.http)) {
    // FRONT-031: what came before the client knew of the limit.
    const why = request instanceof ProxyError ? request : new ProxyError('tooManyHeaders');
    connection.refused(why.message);
    void replyHttp2(stream, method, refusalFor(why), services.log);
    return;
  }
  const cancellation = new Cancellation();
  const closed = new Promise<void>((resolve) => {
    stream.once('close', () => {
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR || !stream.writableFinished)
        cancellation.cancel(new ProxyError('clientGone'));
      resolve();
    });
  });
  const hint = (links: readonly string[]): void => {
    if (!stream.headersSent && !stream.destroyed) stream.additionalHeaders({ ':status': 103, link: [...links] });
  };
  handleRequest(receivedBy(connection, { request, source, cancellation, hint }), services, async (answer) => {
    await replyHttp2(stream, method, answer, services.log);
    // Whoever is done with a request may have left some of its body.
    if (!stream.readableEnded) stream.resume();
    await closed;
  }).catch((error: unknown) => {
    services.log.error('request handling failed', errorFields(error));
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
}

/** RFC 9113, section 6.5.2: of every field its name, its value and 32 bytes. */
function sizeOf(raw: readonly string[]): number {
  return raw.reduce((sum, text) => sum + text.length + 16, 0);
}
