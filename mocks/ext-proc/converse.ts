import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Code, ConnectError } from '@connectrpc/connect';
import type { LedgerWriter } from '../ledger.ts';
import type { MockOptions } from '../mock.ts';
import { DEFAULT_GIVE_UP, durationMs, toBytes } from '../script.ts';
import type { ProcessingRequest, ProcessingResponse } from '../wire/gen/ext_proc_pb.js';
import { toAnswer, toPiece } from './answer.ts';
import { toArrived } from './arrived.ts';
import type { Arrived } from './arrived.ts';
import { createChooser } from './choose-reply.ts';
import type { OpenStream } from './entry.ts';
import { RPC_CODES } from './script.ts';
import type { ExtProcScript, Reply } from './script.ts';

/** What one stream runs over. */
export interface Line {
  readonly stream: ServerHttp2Stream;
  readonly socket: Socket;
  readonly entry: OpenStream;
}

export interface Serving {
  readonly ledger: LedgerWriter;
  readonly options: MockOptions;
}

/** Plays the script on one stream: every message is put on the ledger and answered before the next one is read. */
export async function* converse(
  messages: AsyncIterable<ProcessingRequest>,
  line: Line | undefined,
  script: ExtProcScript,
  serving: Serving,
): AsyncGenerator<ProcessingResponse> {
  if (line === undefined) throw new ConnectError('not over HTTP/2', Code.Internal);
  const choose = createChooser(script);
  const streamed: Streamed = { requestBody: false, responseBody: false };
  for await (const message of untilGone(messages, line)) {
    const arrived = toArrived(message);
    learnModes(streamed, arrived);
    line.entry.arrived(arrived);
    const reply = choose(arrived);
    yield* answer(reply, arrived, { line, serving, streamed });
    if (reply.close === true || reply.immediate !== undefined) return;
  }
}

/** Which bodies the client sends piece by piece and wants back. */
type Streamed = Record<'requestBody' | 'responseBody', boolean>;

function learnModes(streamed: Streamed, { protocolConfig }: Arrived): void {
  if (protocolConfig === undefined) return;
  streamed.requestBody = protocolConfig.requestBodyMode === 'FullDuplexStreamed';
  streamed.responseBody = protocolConfig.responseBodyMode === 'FullDuplexStreamed';
}

/** A client that goes away ends the script like one that has nothing more to say. */
async function* untilGone(
  messages: AsyncIterable<ProcessingRequest>,
  { stream }: Line,
): AsyncGenerator<ProcessingRequest> {
  try {
    yield* messages;
  } catch (error) {
    if (!stream.destroyed && !stream.aborted) throw error;
  }
}

interface Stage {
  readonly line: Line;
  readonly serving: Serving;
  readonly streamed: Streamed;
}

async function* answer(reply: Reply, arrived: Arrived, stage: Stage): AsyncGenerator<ProcessingResponse> {
  const { line, serving, streamed } = stage;
  if (reply.open !== undefined) serving.options.gates.open(reply.open);
  if (reply.gate !== undefined) await waitAt(reply.gate, reply.giveUp, stage);
  if (reply.fail !== undefined) throw forbidden(arrived, reply.fail, serving);
  if (reply.error !== undefined) throw new ConnectError(reply.error.toLowerCase(), 1 + RPC_CODES.indexOf(reply.error));
  if (reply.fault !== undefined) await commit(reply.fault, line);
  if (reply.silent === true) return;
  const { kind } = arrived;
  const streaming = (kind === 'requestBody' || kind === 'responseBody') && streamed[kind];
  if (reply.stream === undefined) yield toAnswer(reply, arrived, streaming);
  else yield* pieces(reply, arrived, reply.stream, stage);
}

async function* pieces(
  { end }: Reply,
  arrived: Arrived,
  stream: NonNullable<Reply['stream']>,
  stage: Stage,
): AsyncGenerator<ProcessingResponse> {
  const ends = end ?? arrived.end;
  const kind = arrived.kind.startsWith('response') ? 'responseBody' : 'requestBody';
  for (const [index, piece] of stream.entries()) {
    if (typeof piece === 'object' && 'gate' in piece) await waitAt(piece.gate, piece.giveUp, stage);
    else yield toPiece(kind, toBytes(piece), ends && index === stream.length - 1);
  }
}

async function waitAt(gate: string, giveUp = DEFAULT_GIVE_UP, { line, serving }: Stage): Promise<void> {
  await Promise.race([serving.options.gates.wait(gate, durationMs(giveUp)), gone(line)]);
}

/** A forbidden message is a failed check of the case. */
function forbidden({ kind }: Arrived, reason: string, { ledger, options }: Serving): ConnectError {
  ledger.fail(`peer ${options.name} was sent ${kind}: ${reason}`);
  return new ConnectError(reason, Code.FailedPrecondition);
}

const INTERNAL_ERROR = 2;
/** A message of three bytes which claim to begin a field of 127 bytes. */
const UNREADABLE = Buffer.from([0, 0, 0, 0, 3, 0x0a, 0x7f, 0xff]);

/** Every fault ends the stream, `hang` when the client does; then nobody is left for an answer. */
async function commit(fault: NonNullable<Reply['fault']>, line: Line): Promise<never> {
  const { stream, socket } = line;
  const over = gone(line);
  if (fault === 'reset') socket.resetAndDestroy();
  if (fault === 'reset-stream') stream.close(INTERNAL_ERROR);
  if (fault === 'garbage') endWith(stream, 'application/grpc+proto', UNREADABLE);
  if (fault === 'no-grpc') endWith(stream, 'text/html', Buffer.from('<p>no processor here</p>'));
  await over;
  throw new ConnectError('the stream is over', Code.Aborted);
}

function endWith(stream: ServerHttp2Stream, contentType: string, body: Buffer): void {
  if (!stream.headersSent) stream.respond({ ':status': 200, 'content-type': contentType });
  stream.end(body);
}

function gone({ stream }: Line): Promise<void> {
  if (stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => stream.once('close', resolve));
}
