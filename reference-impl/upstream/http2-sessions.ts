import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  connect,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Endpoint } from '../attachment/view.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { DialOptions } from './dial.ts';
import { type Dialer, openConnection } from './open-connection.ts';
import { keyOf } from './pools.ts';

/** HTTP/2 connections per endpoint and way of dialling: one, and another when it is full. */
export interface Http2Sessions {
  /** Opens a stream, at once where a connection has room for it. Rejects with why there is no connection, or no wish for a stream any more. */
  readonly request: (
    endpoint: Endpoint,
    options: DialOptions,
    wanted: WantedStream,
  ) => ClientHttp2Stream | Promise<ClientHttp2Stream>;
  /** Cuts all connections. */
  readonly close: () => void;
}

export interface WantedStream {
  readonly headers: OutgoingHttpHeaders | readonly string[];
  readonly options?: ClientSessionRequestOptions;
  /** Why nobody wants it any more. Asked behind the wait for a connection: a stream that is opened tells the peer its whole head. */
  readonly over: () => Error | undefined;
}

/** Connections to one endpoint in one way. */
interface Origin {
  readonly sessions: Set<ClientHttp2Session>;
  /** The one that is being made; everybody who finds no room waits for it. */
  opening: Promise<unknown> | undefined;
}

/** Endpoints come and go with the configuration; beyond this many the longest unused idle one is closed. */
const MOST_ORIGINS = 1024;
/** Milliseconds without a byte after which a connection without a stream is closed. */
const IDLE_TIMEOUT = 60_000;

export function createHttp2Sessions(dialer: Dialer): Http2Sessions {
  const origins = new Map<string, Origin>();

  function originOf(endpoint: Endpoint, options: DialOptions): Origin {
    const key = keyOf(endpoint) + keyOf(options);
    const known = origins.get(key);
    if (known !== undefined) return known;
    if (origins.size >= MOST_ORIGINS) closeIdle(origins);
    const origin: Origin = { sessions: new Set(), opening: undefined };
    origins.set(key, origin);
    return origin;
  }

  const request: Http2Sessions['request'] = (endpoint, options, wanted) => {
    const origin = originOf(endpoint, options);
    for (const session of origin.sessions) if (hasRoom(session)) return openStream(session, wanted);
    origin.opening ??= openSession(endpoint, options, dialer)
      .then((session) => keep(session, origin))
      .finally(() => (origin.opening = undefined));
    return origin.opening.then(() => {
      const reason = wanted.over();
      if (reason !== undefined) throw reason;
      return request(endpoint, options, wanted);
    });
  };

  return {
    request,
    close: () => {
      for (const { sessions } of origins.values()) for (const session of sessions) session.destroy();
      origins.clear();
    },
  };
}

/** Streams under way, by connection. */
const streamsOf = new WeakMap<ClientHttp2Session, number>();

function streamsUnderWay(session: ClientHttp2Session): number {
  return streamsOf.get(session) ?? 0;
}

/** The peer says how many requests it takes at a time; one more would wait for its turn without anybody knowing. */
function hasRoom(session: ClientHttp2Session): boolean {
  const { maxConcurrentStreams = Infinity } = session.remoteSettings;
  return !session.closed && !session.destroyed && streamsUnderWay(session) < Math.max(1, maxConcurrentStreams);
}

function openStream(session: ClientHttp2Session, { headers, options }: WantedStream): ClientHttp2Stream {
  const stream = session.request(headers, options);
  streamsOf.set(session, streamsUnderWay(session) + 1);
  stream.once('close', () => streamsOf.set(session, streamsUnderWay(session) - 1));
  return stream;
}

async function openSession(endpoint: Endpoint, options: DialOptions, dialer: Dialer): Promise<ClientHttp2Session> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    openConnection(endpoint, options, dialer, (error, opened) => {
      if (opened === null) reject(error ?? new Error('no connection'));
      else resolve(opened);
    });
  });
  // A server that was asked and says HTTP/1.1 would not understand a word.
  if (socket instanceof TLSSocket && socket.alpnProtocol === 'http/1.1') {
    socket.destroy();
    throw new ProxyError('upstreamCallFailed', 'the backend chose HTTP/1.1');
  }
  // The authority stands in each request.
  return connect('http://upstream', {
    createConnection: () => socket,
    settings: { enablePush: false },
  });
}

/** Offers the connection to requests until it ends, or the peer wants no more of them. */
function keep(session: ClientHttp2Session, { sessions }: Origin): void {
  const forget = (): void => void sessions.delete(session);
  sessions.add(session);
  session.once('close', forget);
  session.once('goaway', forget);
  // Its streams tell those who wait for them.
  session.on('error', forget);
  session.setTimeout(IDLE_TIMEOUT, () => {
    if (streamsUnderWay(session) === 0) session.close();
  });
}

/** Closes the oldest connections without a stream; a Map keeps its keys in the order of their arrival. */
function closeIdle(origins: Map<string, Origin>): void {
  for (const [key, { sessions, opening }] of origins) {
    if (opening !== undefined || [...sessions].some((session) => streamsUnderWay(session) > 0)) continue;
    origins.delete(key);
    for (const session of sessions) session.destroy();
    return;
  }
}
