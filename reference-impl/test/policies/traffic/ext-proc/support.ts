import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Body } from '../../../../base/body.ts';
import { HeaderMap } from '../../../../base/headers.ts';
import type { Request } from '../../../../exchange/exchange.ts';
import { Conversation } from '../../../../policies/traffic/ext-proc/conversation.ts';
import type { Connect } from '../../../../policies/traffic/ext-proc/conversation.ts';
import { REQUEST } from '../../../../policies/traffic/ext-proc/direction.ts';
import { modesOf } from '../../../../policies/traffic/ext-proc/modes.ts';
import type { Speech } from '../../../../policies/traffic/ext-proc/speech.ts';
import type { ProcessingOptions } from '../../../../resources/proxy-policy/fields/ext-proc.ts';
import { ProcessingResponseSchema } from '../../../../upstream/wire/ext_proc_pb.js';
import type { ProcessingRequest, ProcessingResponse } from '../../../../upstream/wire/ext_proc_pb.js';
import { manualClock, type ManualClock } from '../../../trace/manual-clock.ts';

export type Answer = Exclude<MessageInitShape<typeof ProcessingResponseSchema>, ProcessingResponse>;

export const PATIENCE = 10_000;

/** A conversation and what the processor knows of it. */
export interface Staged {
  readonly conversation: Conversation;
  readonly clock: ManualClock;
  readonly heard: readonly ProcessingRequest[];
  /** Resolves when the stream is cut. */
  readonly cut: Promise<void>;
}

/** A conversation with a processor that is a function: what it yields for a message is what comes back. */
export function conversationWith(
  respond: (message: ProcessingRequest) => AsyncIterable<Answer> | Iterable<Answer>,
  options: ProcessingOptions = {},
): Staged {
  const clock = manualClock();
  const heard: ProcessingRequest[] = [];
  const cut = Promise.withResolvers<void>();
  const connect: Connect = async function* (outgoing, signal) {
    signal.addEventListener('abort', () => cut.resolve());
    for await (const message of outgoing) {
      heard.push(message);
      for await (const answer of respond(message)) yield create(ProcessingResponseSchema, answer);
    }
  };
  const conversation = new Conversation({ connect, modes: modesOf(options), clock, patience: PATIENCE });
  return { conversation, clock, heard, cut: cut.promise };
}

/** The request half of a conversation, without attributes and metadata. */
export function speechOf(conversation: Conversation): Speech<Request> {
  return { conversation, direction: REQUEST, envelope: () => ({}), loan: { body: undefined }, mayFail: () => false };
}

export function requestWith(body: Body | undefined): Request {
  return {
    method: 'POST',
    scheme: 'http',
    authority: 'example.test',
    target: '/',
    version: 'HTTP/1.1',
    headers: HeaderMap.of([['x-a', 'b']]),
    body,
  };
}

/** A body without declared length, of which it is known how far it was read. */
export function pieces(
  chunks: readonly Uint8Array[],
  trailers = HeaderMap.EMPTY,
): Body & { readonly taken: () => number } {
  let next = 0;
  return {
    read: () => Promise.resolve(chunks[next++]),
    cancel: () => {},
    length: undefined,
    trailers: () => trailers,
    taken: () => Math.min(next, chunks.length),
  };
}

/** Everything a body gives until its end. */
export async function textOf(body: Body | undefined): Promise<string> {
  let text = '';
  for (let chunk = await body?.read(); chunk !== undefined; chunk = await body?.read())
    text += Buffer.from(chunk).toString();
  return text;
}

/** What a processor does that lets everything pass: a streamed body comes back as it is. */
export function* lettingPass({ request }: ProcessingRequest): Generator<Answer> {
  if (request.case === undefined) return;
  if (request.case === 'requestBody' || request.case === 'responseBody') {
    const { body, endOfStream } = request.value;
    const bodyMutation = { mutation: { case: 'streamedResponse' as const, value: { body, endOfStream } } };
    yield { response: { case: request.case, value: { response: { bodyMutation } } } };
    return;
  }
  yield { response: { case: request.case, value: {} } };
}
