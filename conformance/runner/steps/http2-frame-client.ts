import { connect, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Endpoint } from '../sut/session.ts';
import { asMessage, jsonBytes } from './exchange-record.ts';
import { failureOf, type Failure } from './failure.ts';
import {
  ERRORS,
  FLAGS,
  frameBytes,
  PREFACE,
  readFrames,
  SETTINGS,
  statusOf,
  TYPES,
  type Frame,
} from './http2-frames.ts';
import type { Observation, StepContext } from './step.ts';
import { connectTls, describeHandshake, tlsClientOptions, type TlsClient } from './tls-client.ts';
import { createWaiting } from './waiting.ts';

/** One thing to do on the connection, in order. */
export type FramePart = { readonly bytes: Buffer } | { readonly await: (typeof TYPES)[number] };

export interface FrameOptions extends Endpoint {
  readonly authority: string;
  readonly tls: TlsClient | undefined;
  /** Whether the preface and empty settings go first. */
  readonly preface: boolean;
  /** Whether settings and pings are acknowledged. */
  readonly answers: boolean;
  /** How many pings are, where not all of them. */
  readonly pongs: number;
  readonly until: (typeof TYPES)[number] | 'close' | 'end';
  readonly count: number;
}

/** Does the parts one after another and gathers frames until the wanted end, the close of the connection, or the limit of the step. */
export async function frameExchange(
  parts: readonly FramePart[],
  options: FrameOptions,
  context: StepContext,
): Promise<Observation> {
  const began = performance.now();
  context.timeline.add('client', `> HTTP/2 ${parts.length} part(s) to port ${options.port}`);
  const line = openLine(options, context.limit);
  await line.opened;
  if (options.preface) line.write(Buffer.concat([PREFACE, frameBytes(EMPTY_SETTINGS)]));
  await write(parts, line);
  await line.until(() => isEnough(line.frames, options));
  const enough = isEnough(line.frames, options);
  const seen = { ...observe(line.frames), closed: line.state.closed, gates: context.peers.gates.outcomes() };
  const handshake = line.socket instanceof TLSSocket && line.socket.getProtocol() && describeHandshake(line.socket);
  const observation = {
    ...seen,
    ...(handshake && { handshake }),
    ...outcome(line, enough, options),
    elapsedMs: Math.round(performance.now() - began),
  };
  line.socket.destroy();
  context.timeline.exchanged(() => ({
    step: context.stepId,
    request: asMessage([`${parts.length} part(s) of HTTP/2 to port ${options.port}`], Buffer.alloc(0)),
    answer: asMessage(['frames'], jsonBytes(seen.frames)),
  }));
  context.timeline.add('client', `< ${line.frames.length} frames${line.state.closed ? ', closed' : ''}`);
  return observation;
}

const EMPTY_SETTINGS: Frame = { type: TYPES.indexOf('SETTINGS'), flags: 0, stream: 0, payload: Buffer.alloc(0) };

interface Line {
  readonly socket: Socket;
  readonly opened: Promise<void>;
  readonly frames: readonly Frame[];
  readonly state: { closed: boolean; failure: Failure | undefined; timedOut: boolean };
  readonly write: (bytes: Buffer) => void;
  /** Resolves when the condition holds, the connection has closed, or the limit has passed. */
  readonly until: (condition: () => boolean) => Promise<void>;
}

function openLine(options: FrameOptions, limit: AbortSignal): Line {
  const { tls, authority, answers } = options;
  let pongs = options.pongs;
  const socket =
    tls === undefined
      ? connect({ host: options.host, port: options.port })
      : connectTls(options, tlsClientOptions(tls, { name: authority, alpn: 'h2' }));
  const state: Line['state'] = { closed: false, failure: undefined, timedOut: false };
  const frames: Frame[] = [];
  const { wake, until } = createWaiting(() => state.closed || state.timedOut);
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    const read = readFrames(Buffer.concat([rest, bytes]));
    ({ rest } = read);
    for (const frame of read.frames) {
      frames.push(frame);
      if (answers && asksForAnswer(frame) && (!isPing(frame) || (pongs -= 1) >= 0))
        socket.write(frameBytes({ ...frame, flags: FLAGS.ACK, payload: answerTo(frame) }));
    }
    wake();
  });
  socket.once('error', (error) => {
    state.failure = failureOf(error);
  });
  socket.once('end', () => {
    state.closed = true;
    wake();
  });
  socket.once('close', () => {
    state.closed = true;
    wake();
  });
  limit.addEventListener('abort', () => {
    state.timedOut = true;
    wake();
  });
  const opened = new Promise<void>((resolve) => {
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      resolve();
    });
    socket.once('close', () => {
      resolve();
    });
    limit.addEventListener('abort', () => {
      resolve();
    });
  });
  return {
    socket,
    opened,
    frames,
    state,
    until,
    write: (bytes) => {
      if (socket.writable) socket.write(bytes);
    },
  };
}

function asksForAnswer({ type, flags }: Frame): boolean {
  return (TYPES[type] === 'SETTINGS' || TYPES[type] === 'PING') && (flags & FLAGS.ACK) === 0;
}

function isPing({ type }: Frame): boolean {
  return TYPES[type] === 'PING';
}

function answerTo({ type, payload }: Frame): Buffer {
  return TYPES[type] === 'PING' ? payload : Buffer.alloc(0);
}

async function write(parts: readonly FramePart[], line: Line): Promise<void> {
  const seen = new Map<string, number>();
  for (const part of parts) {
    if ('bytes' in part) {
      line.write(part.bytes);
      continue;
    }
    const before = seen.get(part.await) ?? 0;
    await line.until(() => countOf(line.frames, part.await) > before);
    seen.set(part.await, before + 1);
  }
}

function countOf(frames: readonly Frame[], type: string): number {
  return frames.filter((frame) => TYPES[frame.type] === type).length;
}

function isEnough(frames: readonly Frame[], { until, count }: FrameOptions): boolean {
  if (until === 'close') return false;
  if (until !== 'end') return countOf(frames, until) >= count;
  return frames.filter(endsStream).length >= count;
}

function endsStream({ type, flags }: Frame): boolean {
  const name = TYPES[type];
  if (name === 'RST_STREAM') return true;
  return (name === 'DATA' || name === 'HEADERS') && (flags & FLAGS.END_STREAM) !== 0;
}

function outcome({ state }: Line, enough: boolean, { until }: FrameOptions): Observation {
  if (state.failure === 'refused' || state.failure === 'alert') return { failure: state.failure };
  if (until === 'close') return state.closed ? {} : { failure: 'timeout' };
  if (enough) return {};
  return { failure: state.closed ? (state.failure ?? 'closed') : 'timeout' };
}

function observe(frames: readonly Frame[]): Observation & { readonly frames: readonly Observation[] } {
  const described = frames.map(describeFrame);
  const last = (key: string): unknown => described.map((frame) => frame[key]).findLast((value) => value !== undefined);
  const resets = described
    .filter(({ type }) => type === 'RST_STREAM')
    .map(({ stream, code }) => [String(stream), code]);
  const goaway = described.find(({ type }) => type === 'GOAWAY');
  const widened = described.filter(({ type, stream }) => type === 'WINDOW_UPDATE' && stream === 0);
  return {
    frames: described,
    settings: Object.assign({}, ...described.map(({ settings }) => settings ?? {})),
    ...(last('status') === undefined ? {} : { status: last('status') }),
    ...(goaway === undefined ? {} : { goaway: goaway['code'] }),
    resets: Object.fromEntries(resets),
    body: described.map(({ type, body }) => (type === 'DATA' ? String(body) : '')).join(''),
    connectionWindow: 65_535 + widened.reduce((sum, { increment }) => sum + Number(increment), 0),
  };
}

function describeFrame({ type, flags, stream, payload }: Frame): Observation {
  const name = TYPES[type] ?? String(type);
  return { type: name, stream, flags, length: payload.length, ...SAYS[name]?.(payload, flags) };
}

/** What a frame says, by its type. */
const SAYS: Readonly<Record<string, (payload: Buffer, flags: number) => Observation>> = {
  SETTINGS: (payload, flags) => ({ ack: (flags & FLAGS.ACK) !== 0, settings: settingsOf(payload) }),
  PING: (payload, flags) => ({ ack: (flags & FLAGS.ACK) !== 0, body: payload.toString('latin1') }),
  RST_STREAM: (payload) => ({ code: codeOf(payload, 0) }),
  GOAWAY: (payload) => ({ code: codeOf(payload, 4) }),
  WINDOW_UPDATE: (payload) => ({ increment: payload.length < 4 ? undefined : payload.readUInt32BE(0) }),
  HEADERS: (payload) => ({ status: statusOf(payload) }),
  DATA: (payload) => ({ body: payload.toString('utf8') }),
};

function settingsOf(payload: Buffer): Observation {
  const settings: Record<string, number> = {};
  for (let at = 0; at + 6 <= payload.length; at += 6) {
    const id = payload.readUInt16BE(at);
    settings[SETTINGS[id - 1] ?? String(id)] = payload.readUInt32BE(at + 2);
  }
  return settings;
}

function codeOf(payload: Buffer, at: number): unknown {
  const code = payload.length < at + 4 ? -1 : payload.readUInt32BE(at);
  return ERRORS[code] ?? code;
}
