import { connect, type Socket } from 'node:net';
import type { Endpoint } from '../sut/session.ts';
import { asMessage } from './exchange-record.ts';
import { failureOf } from './failure.ts';
import { probeDue } from './keepalive-probe.ts';
import { parseResponses, type ParsedResponses } from './response-parser.ts';
import type { Observation, StepContext } from './step.ts';
import { connectTls, describeHandshake, tlsClientOptions, type TlsClient } from './tls-client.ts';
import { createWaiting } from './waiting.ts';

const RECEIVE_LIMIT = 16 * 1024 * 1024;

/** One thing to do on the connection, in order. */
export type RawPart =
  | { readonly bytes: Buffer }
  | { readonly await: string }
  | { readonly gate: string }
  | { readonly end: true }
  | { readonly reset: true };

export interface RawOptions extends Endpoint {
  readonly until: 'response' | 'close';
  readonly responses: number;
  readonly method?: string | undefined;
  /** How the bytes are wrapped; they go as they stand when absent. */
  readonly tls?: TlsClient | undefined;
}

/** Does the parts one after another and reads until the wanted end, the close of the connection, or the limit of the step. */
export async function rawExchange(
  parts: readonly RawPart[],
  options: RawOptions,
  context: StepContext,
): Promise<Observation> {
  const began = performance.now();
  const line = await openLine(options, context);
  context.timeline.add('client', `> raw ${parts.length} part(s) to port ${options.port}`);
  await write(parts, line, context);
  const enough = (): boolean =>
    options.until === 'response' && line.parsed(options.method).complete >= options.responses;
  await line.until(enough);
  const parsed = line.parsed(options.method);
  const probe = 'probe' in context.expect ? await probeDue(line.connection, context.limit) : undefined;
  const { handshake } = line.state;
  const observation = { ...describe(parsed, line, context), ...(probe && { probe }), ...(handshake && { handshake }) };
  line.socket.destroy();
  context.timeline.exchanged(() => ({
    step: context.stepId,
    request: asMessage([`${parts.length} part(s) of bytes to port ${options.port}`], sentBytes(parts)),
    answer: asMessage([line.state.closed ? 'bytes, then the connection was closed' : 'bytes'], line.received()),
  }));
  context.timeline.add('client', `< raw ${line.received().length} bytes${line.state.closed ? ', closed' : ''}`);
  return { ...observation, ...outcome(line, enough(), options), elapsedMs: Math.round(performance.now() - began) };
}

interface Line {
  /** What is written to, and the connection below it: the same without TLS. */
  readonly socket: Socket;
  readonly connection: Socket;
  readonly state: {
    closed: boolean;
    reset: boolean;
    failure: string | undefined;
    timedOut: boolean;
    handshake: Readonly<Record<string, unknown>> | undefined;
  };
  readonly received: () => Buffer;
  readonly parsed: (method: string | undefined) => ParsedResponses;
  /** Resolves when the condition holds, the connection has closed, or the limit has passed. */
  readonly until: (condition: () => boolean) => Promise<void>;
}

async function openLine({ host, port, tls }: RawOptions, context: StepContext): Promise<Line> {
  const connection = connect({ host, port, allowHalfOpen: true });
  const secure = tls && connectTls({ host, port }, { ...ofTls(tls, context), socket: connection });
  const socket = secure ?? connection;
  const state: Line['state'] = {
    closed: false,
    reset: false,
    failure: undefined,
    timedOut: false,
    handshake: undefined,
  };
  secure?.once('secureConnect', () => {
    state.handshake = describeHandshake(secure);
  });
  const { wake, until } = createWaiting(() => state.closed || state.timedOut);
  let received = Buffer.alloc(0);
  context.limit.addEventListener('abort', () => {
    state.timedOut = true;
    wake();
  });
  socket.on('data', (bytes: Buffer) => {
    if (received.length < RECEIVE_LIMIT) received = Buffer.concat([received, bytes]);
    wake();
  });
  socket.once('end', () => {
    state.closed = true;
    wake();
  });
  socket.once('error', (error) => {
    state.failure = failureOf(error);
    state.reset = state.failure === 'reset';
    state.closed = true;
    wake();
  });
  socket.once('close', () => {
    state.closed = true;
    wake();
  });
  return {
    socket,
    connection,
    state,
    received: () => received,
    parsed: (method) => parseResponses(received, { method, ended: state.closed }),
    until,
  };
}

function ofTls(tls: TlsClient, { host }: StepContext): ReturnType<typeof tlsClientOptions> {
  return tlsClientOptions(tls, { name: host, alpn: 'http/1.1' });
}

function sentBytes(parts: readonly RawPart[]): Buffer {
  return Buffer.concat(parts.flatMap((part) => ('bytes' in part ? [part.bytes] : [])));
}

async function write(parts: readonly RawPart[], line: Line, { peers }: StepContext): Promise<void> {
  for (const part of parts) {
    if ('bytes' in part) line.socket.write(part.bytes);
    else if ('gate' in part) await peers.gates.wait(part.gate);
    else if ('end' in part) line.socket.end();
    else if ('reset' in part) line.connection.resetAndDestroy();
    else await line.until(() => line.received().includes(part.await));
  }
}

function describe(parsed: ParsedResponses, line: Line, context: StepContext): Observation {
  const first = parsed.responses.find((response) => response.status >= 200) ?? parsed.responses[0];
  return {
    ...(first === undefined ? {} : { status: first.status, headers: first.headers, body: first.body }),
    responses: parsed.responses,
    ...(parsed.malformed === undefined ? {} : { malformed: parsed.malformed }),
    text: line.received().toString('latin1'),
    bytes: line.received().length,
    closed: line.state.closed,
    reset: line.state.reset,
    gates: context.peers.gates.outcomes(),
  };
}

function outcome(line: Line, enough: boolean, options: RawOptions): Observation {
  if (line.state.failure === 'refused' || line.state.failure === 'alert') return { failure: line.state.failure };
  if (options.until === 'close') return line.state.closed ? {} : { failure: 'timeout' };
  if (enough) return {};
  if (line.state.timedOut && !line.state.closed) return { failure: 'timeout' };
  return { failure: line.state.reset ? 'reset' : 'closed' };
}
