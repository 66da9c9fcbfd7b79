import { connect, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { failureOf, type Failure } from './failure.ts';
import type { Ending, HttpTarget } from './http-target.ts';
import type { HttpCall } from './http-input.ts';
import type { Receiver } from './receiver.ts';
import type { StepContext } from './step.ts';
import { connectTls, describeHandshake, tlsClientOptions } from './tls-client.ts';

/** Sends one request over HTTP/2, by ALPN over TLS and by prior knowledge without, and hands the answer to `seen`. */
export async function sendHttp2(
  call: HttpCall,
  target: HttpTarget,
  context: StepContext,
  seen: Receiver,
): Promise<Ending> {
  const { session, socket, opened } = sessionFor(target, context);
  const failure = await opened.then(
    () => request(session, call, target, context, seen),
    (error: unknown) => failureOf(error instanceof Error ? error : new Error(String(error))),
  );
  if (target.connection === undefined) session.destroy();
  return { failure, handshake: socket?.getProtocol() ? describeHandshake(socket) : undefined };
}

/** Bytes of the fields of one request; nghttp2 sends 64 KiB where nobody says otherwise, and limits above that are asked about too. */
const LONGEST_HEADERS = 1024 * 1024;

interface Opened {
  readonly session: ClientHttp2Session;
  readonly socket: TLSSocket | undefined;
  /** Rejects when there is no connection. */
  readonly opened: Promise<void>;
}

/** A connection that steps share may end between two requests (GOAWAY): the next one goes over another (RFC 9113, 6.8), as over HTTP/1.1. */
function sessionFor(target: HttpTarget, context: StepContext): Opened {
  const { connection: name } = target;
  const known = name === undefined ? undefined : context.background.sessions.get(name);
  if (known !== undefined && !known.closed && !known.destroyed)
    return { session: known, socket: undefined, opened: Promise.resolve() };
  const { host, port, hostHeader, tls } = target;
  const socket =
    tls === undefined ? undefined : connectTls(target, tlsClientOptions(tls, { name: hostHeader, alpn: 'h2' }));
  const transport = socket ?? connectTcp(port, host);
  const session = connect(`${socket === undefined ? 'http' : 'https'}://${hostHeader}`, {
    createConnection: () => transport,
    maxSendHeaderBlockLength: LONGEST_HEADERS,
  });
  const opened = new Promise<void>((resolve, reject) => {
    session.once('connect', () => {
      resolve();
    });
    transport.once('error', reject);
    session.once('error', reject);
    session.once('close', () => {
      reject(new Error('closed'));
    });
    context.limit.addEventListener('abort', () => {
      reject(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }));
    });
  });
  if (name !== undefined) context.background.sessions.set(name, session);
  return { session, socket, opened };
}

function request(
  session: ClientHttp2Session,
  call: HttpCall,
  { hostHeader, tls }: HttpTarget,
  context: StepContext,
  seen: Receiver,
): Promise<Failure | undefined> {
  // It can end while its request waits for the connection.
  if (session.closed || session.destroyed) return Promise.resolve('closed');
  const trailers = Object.keys(call.trailers).length > 0;
  const stream = session.request(headersOf(call, hostHeader, tls === undefined ? 'http' : 'https'), {
    endStream: call.parts === undefined,
    waitForTrailers: trailers,
  });
  stream.on('wantTrailers', () => {
    stream.sendTrailers(call.trailers);
  });
  for (const part of call.parts ?? []) stream.write(part);
  if (call.parts !== undefined) stream.end();
  return answerOf(stream, context, seen);
}

function answerOf(stream: ClientHttp2Stream, { limit }: StepContext, seen: Receiver): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    let trailers: Readonly<Record<string, unknown>> = {};
    limit.addEventListener('abort', () => {
      resolve('timeout');
      stream.close();
    });
    stream.on('headers', (headers) => {
      seen.informational(Number(headers[':status']));
    });
    stream.on('response', (headers: IncomingHttpHeaders, _flags: number, raw: readonly string[]) => {
      const status = raw.findIndex((name, at) => at % 2 === 0 && name.startsWith(':'));
      seen.head({
        statusCode: Number(headers[':status']),
        rawHeaders: raw.filter((_, at) => at - (at % 2) !== status),
      });
    });
    stream.on('trailers', (fields: IncomingHttpHeaders) => {
      trailers = { ...fields };
    });
    stream.on('data', (chunk: Buffer) => {
      seen.chunk(chunk);
    });
    stream.on('error', () => {
      // What it was is in the code of the stream.
    });
    stream.on('close', () => {
      const ended = stream.rstCode === 0 && stream.readableEnded;
      seen.end(ended, trailers);
      resolve(ended ? undefined : stream.rstCode === 0 ? 'closed' : 'reset');
    });
  });
}

function headersOf(call: HttpCall, authority: string, scheme: string): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {
    ':method': call.method,
    ':scheme': scheme,
    ':authority': authority,
    ':path': call.path,
  };
  for (const [name, value] of call.headers) {
    const known = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}
