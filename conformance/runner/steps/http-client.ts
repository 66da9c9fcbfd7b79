import { Agent, request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { connect } from 'node:net';
import { TLSSocket } from 'node:tls';
import { asMessage, headerLines, type Exchange } from './exchange-record.ts';
import { failureOf, type Failure } from './failure.ts';
import type { HttpCall } from './http-input.ts';
import { sendHttp2 } from './http2-client.ts';
import type { Ending, HttpTarget } from './http-target.ts';
import { receiver, type Receiver } from './receiver.ts';
import { CaseFault, type Observation, type StepContext } from './step.ts';
import { describeHandshake, tlsClientOptions } from './tls-client.ts';

const HEADER_LIMIT = 256 * 1024;

/** Sends one request and reads the answer to its end, its failure, or the limit of the step. Throws CaseFault for a request Node cannot send. */
export async function exchange(call: HttpCall, target: HttpTarget, context: StepContext): Promise<Observation> {
  const began = performance.now();
  context.timeline.add('client', `> ${call.method} ${call.path} (${target.hostHeader})`);
  const seen = receiver(context);
  const way = target.version === '2' ? sendHttp2 : send;
  const { failure, handshake } = await way(call, target, context, seen);
  const elapsedMs = Math.round(performance.now() - began);
  const ending = failure === undefined ? { closed: 'complete' } : { closed: failure, failure };
  const observation = { ...seen.observation(call.method), ...ending, ...(handshake && { handshake }), elapsedMs };
  context.timeline.exchanged(() => written(call, target, context.stepId, observation));
  context.timeline.add('client', `< ${seen.summary()}${failure === undefined ? '' : ` ${failure}`}`);
  return observation;
}

function written(call: HttpCall, target: HttpTarget, step: string, seen: Observation): Exchange {
  const { rawHeaders, base64, status, reason, failure } = seen;
  const list = headerList(call, target.hostHeader);
  const sent = list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : []));
  const version = target.version === '2' ? 'HTTP/2' : 'HTTP/1.1';
  const line = `${version} ${String(status)} ${typeof reason === 'string' ? reason : ''}`.trim();
  return {
    step,
    request: asMessage(
      [`${call.method} ${call.path} ${version}`, ...headerLines(sent), ...trailerLines(call.trailers)],
      Buffer.concat([...(call.parts ?? [])]),
    ),
    answer: asMessage(
      status === undefined ? [] : [line, ...headerLines(rawHeaders), ...trailerLines(seen['trailers'])],
      Buffer.from(typeof base64 === 'string' ? base64 : '', 'base64'),
    ),
    ...(typeof failure === 'string' ? { failure } : {}),
  };
}

function trailerLines(trailers: unknown): readonly string[] {
  if (typeof trailers !== 'object' || trailers === null) return [];
  return Object.entries(trailers).map(([name, value]) => `(trailer) ${name}: ${String(value)}`);
}

/** A connection that steps share may end after any answer: what was on its way then, and may come twice, is sent again (RFC 9110, 9.2.2). */
async function send(call: HttpCall, target: HttpTarget, context: StepContext, seen: Receiver): Promise<Ending> {
  const { tooLate, ...ending } = await sendOnce(call, target, context, seen);
  return tooLate && mayComeTwice(call) ? sendOnce(call, target, context, seen) : ending;
}

function mayComeTwice({ method, parts }: HttpCall): boolean {
  return parts === undefined && ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'].includes(method);
}

/** `tooLate`: a connection that had answered before ended without a word of this answer. */
async function sendOnce(
  call: HttpCall,
  target: HttpTarget,
  context: StepContext,
  seen: Receiver,
): Promise<Ending & { readonly tooLate: boolean }> {
  const { limit } = context;
  const outgoing = open(call, target, context);
  let handshake: Observation | undefined;
  let heard = false;
  let tooLate = false;
  outgoing.once('socket', (socket) => {
    if (!(socket instanceof TLSSocket)) return;
    const note = (): void => {
      handshake = describeHandshake(socket);
    };
    if (outgoing.reusedSocket) note();
    else socket.once('secureConnect', note);
  });
  return new Promise((done) => {
    const resolve = (failure: Failure | undefined): void => {
      done({ failure, handshake, tooLate });
    };
    const abort = (): void => {
      resolve('timeout');
      outgoing.destroy();
    };
    limit.addEventListener('abort', abort, { once: true });
    const settle = (failure: Failure | undefined): void => {
      limit.removeEventListener('abort', abort);
      resolve(failure);
    };
    outgoing.on('information', ({ statusCode }) => {
      heard = true;
      seen.informational(statusCode);
    });
    outgoing.once('response', (answer) => {
      heard = true;
      void read(answer, seen, settle);
    });
    // A CONNECT, whatever its answer, and a switch of protocols hand over the socket: there is no message body.
    for (const event of ['connect', 'upgrade'] as const) {
      outgoing.once(event, (answer: IncomingMessage, socket: { destroy: () => void }, head: Buffer) => {
        seen.head(answer);
        seen.chunk(head);
        seen.end(true, answer.trailers);
        socket.destroy();
        settle(undefined);
      });
    }
    outgoing.once('error', (error) => {
      const failure = failureOf(error);
      tooLate = outgoing.reusedSocket && !heard && (failure === 'closed' || failure === 'reset');
      settle(failure);
    });
    write(call, outgoing);
  });
}

function open(call: HttpCall, target: HttpTarget, context: StepContext): ClientRequest {
  const { connection, host, port, tls } = target;
  const headers = headerList(call, target.hostHeader);
  const options = { host, port, method: call.method, path: call.path, setHost: false, maxHeaderSize: HEADER_LIMIT };
  try {
    if (tls === undefined && connection === undefined) return openAlone({ ...options, headers });
    const ask = tls === undefined ? request : tlsRequest;
    return ask({
      ...(tls && tlsClientOptions(tls, { name: target.hostHeader, alpn: 'http/1.1' })),
      ...options,
      headers,
      agent: connection === undefined ? false : sharedConnection(connection, context, tls !== undefined),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CaseFault(`an http step cannot send this request (${why}); use a raw step`);
  }
}

/** On a connection that ends with the answer. An agent of its own, which Node would give it, costs more than that connection. */
function openAlone(
  options: RequestOptions & { readonly host: string; readonly port: number; headers: string[] },
): ClientRequest {
  const { headers, host, port } = options;
  const saysHow = headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'connection');
  const outgoing = request({
    ...options,
    headers: saysHow ? headers : [...headers, 'Connection', 'close'],
    createConnection: () => connect({ host, port }),
  });
  outgoing.shouldKeepAlive = false;
  return outgoing;
}

function headerList(call: HttpCall, host: string): string[] {
  const own = new Set(call.headers.map(([name]) => name.toLowerCase()));
  const framed = own.has('content-length') || own.has('transfer-encoding');
  const hostPair = own.has('host') ? [] : ['Host', host];
  return [...hostPair, ...call.headers.flatMap(([name, value]) => [name, value]), ...(framed ? [] : framing(call))];
}

function framing(call: HttpCall): string[] {
  if (call.framing === 'chunked') return ['Transfer-Encoding', 'chunked'];
  if (call.parts !== undefined)
    return ['Content-Length', String(call.parts.reduce((sum, part) => sum + part.length, 0))];
  return ['POST', 'PUT', 'PATCH'].includes(call.method) ? ['Content-Length', '0'] : [];
}

function sharedConnection(name: string, context: StepContext, tls: boolean): Agent {
  const known = context.background.connections.get(name);
  if (known !== undefined) return known;
  const agent = new (tls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 });
  context.background.connections.set(name, agent);
  return agent;
}

function write(call: HttpCall, outgoing: ClientRequest): void {
  if (Object.keys(call.trailers).length > 0) outgoing.addTrailers(call.trailers);
  for (const part of call.parts ?? []) outgoing.write(part);
  outgoing.end();
}

async function read(
  answer: IncomingMessage,
  seen: Receiver,
  settle: (failure: Failure | undefined) => void,
): Promise<void> {
  seen.head(answer);
  try {
    for await (const chunk of answer) seen.chunk(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
    seen.end(answer.complete, answer.trailers);
    settle(answer.complete ? undefined : 'closed');
  } catch (error) {
    seen.end(false, {});
    settle(error instanceof Error && 'code' in error && String(error.code).startsWith('HPE_') ? 'malformed' : 'closed');
  }
}
