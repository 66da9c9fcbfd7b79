import { fail } from '../grpc/failures.ts';
import type { GrpcCall } from '../grpc/serve.ts';
import { waitAtGate } from '../grpc/wait-at-gate.ts';
import type { LedgerWriter } from '../ledger.ts';
import type { MockOptions } from '../mock.ts';
import { toBytes } from '../script.ts';
import type { ProcessingRequest, ProcessingResponse } from '../wire/gen/ext_proc_pb.js';
import { toAnswer, toPiece } from './answer.ts';
import { toArrived } from './arrived.ts';
import type { Arrived, ProtocolConfig } from './arrived.ts';
import { createChooser } from './choose-reply.ts';
import type { OpenStream } from './entry.ts';
import type { ExtProcScript, Reply } from './script.ts';

export interface Serving {
  readonly ledger: LedgerWriter;
  readonly options: MockOptions;
}

/** Plays the script on one stream: every message is put on the ledger and answered before the next one is read. */
export async function* converse(
  messages: AsyncIterable<ProcessingRequest>,
  open: OpenStream,
  script: ExtProcScript,
  serving: Serving,
): AsyncGenerator<ProcessingResponse> {
  const choose = createChooser(script);
  const { request = 'FullDuplexStreamed', response = 'FullDuplexStreamed' } = script.bodies ?? {};
  const streamed = streamedIn({ requestBodyMode: request, responseBodyMode: response });
  for await (const message of untilGone(messages, open.call)) {
    const arrived = toArrived(message);
    if (arrived.protocolConfig !== undefined) Object.assign(streamed, streamedIn(arrived.protocolConfig));
    open.receive(arrived);
    const reply = choose(arrived);
    yield* answer(reply, arrived, { call: open.call, serving, streamed });
    if (reply.close === true || reply.immediate !== undefined) return;
  }
}

/** Which bodies the client sends piece by piece and wants back. */
type Streamed = Record<'requestBody' | 'responseBody', boolean>;

function streamedIn({ requestBodyMode, responseBodyMode }: ProtocolConfig): Streamed {
  return {
    requestBody: requestBodyMode === 'FullDuplexStreamed',
    responseBody: responseBodyMode === 'FullDuplexStreamed',
  };
}

/** A client that goes away ends the script like one that has nothing more to say. */
async function* untilGone(
  messages: AsyncIterable<ProcessingRequest>,
  { stream }: GrpcCall,
): AsyncGenerator<ProcessingRequest> {
  try {
    yield* messages;
  } catch (error) {
    if (!stream.destroyed && !stream.aborted) throw error;
  }
}

interface Stage {
  readonly call: GrpcCall;
  readonly serving: Serving;
  readonly streamed: Streamed;
}

async function* answer(reply: Reply, arrived: Arrived, stage: Stage): AsyncGenerator<ProcessingResponse> {
  const { call, serving, streamed } = stage;
  if (reply.open !== undefined) serving.options.gates.open(reply.open);
  await waitAtGate(reply, call, serving.options.gates);
  await fail(reply, call, (reason) => {
    serving.ledger.fail(`peer ${serving.options.name} was sent ${arrived.kind}: ${reason}`);
  });
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
  { call, serving }: Stage,
): AsyncGenerator<ProcessingResponse> {
  const ends = end ?? arrived.end;
  const kind = arrived.kind.startsWith('response') ? 'responseBody' : 'requestBody';
  for (const [index, piece] of stream.entries()) {
    if (typeof piece === 'object' && 'gate' in piece) await waitAtGate(piece, call, serving.options.gates);
    else yield toPiece(kind, toBytes(piece), ends && index === stream.length - 1);
  }
}
