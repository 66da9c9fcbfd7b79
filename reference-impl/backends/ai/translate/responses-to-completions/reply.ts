import { asObject, asObjects, asString, entryOf, numberAt, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { replyText } from '../reply-text.ts';
import { replyModel, UnreadableReply, type Stamp } from '../translation.ts';

/** A chat completion as a response. Throws UnreadableReply when it has no choice. */
export function responsesReply(reply: Json, stamp: Stamp): Json {
  const choice = asObjects(reply['choices'])[0];
  const message = asObject(choice?.['message']);
  if (choice === undefined || message === undefined)
    throw new UnreadableReply('the reply has no choice with a message');
  const head = responseHead(replyModel(reply['model'], stamp), stamp);
  const parts = [
    ...textPart('output_text', replyText(message['content'])),
    ...textPart('refusal', asString(message['refusal']) ?? ''),
  ];
  const finish = choice['finish_reason'];
  const calls = asObjects(message['tool_calls']);
  const output = [
    ...(parts.length === 0 ? [] : [messageItem(`msg_${stamp.id()}`, itemStatus(finish, calls.length === 0), parts)]),
    ...calls.map((call, at) => {
      const called = asObject(call['function']);
      const written = asString(called?.['arguments']) ?? '';
      const begun = { id: `call_${stamp.id()}`, call_id: call['id'], name: called?.['name'] };
      return callItem(begun, itemStatus(finish, at === calls.length - 1), written);
    }),
  ];
  return finishedResponse(head, output, finish, reply);
}

/** What stays the same from the first event of a response to the last. */
export function responseHead(model: string, stamp: Stamp): Json {
  return { id: `resp_${stamp.id()}`, object: 'response', created_at: stamp.created, model };
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** The last item of an answer that was cut off is not whole. */
export function itemStatus(finish: unknown, isLast: boolean): ItemStatus {
  return finish === 'length' && isLast ? 'incomplete' : 'completed';
}

export function messageItem(id: string, status: ItemStatus, content: readonly Json[]): Json {
  return { type: 'message', id, status, role: 'assistant', content };
}

/** What of a call stays the same while its arguments are written. */
export interface CallHead {
  readonly id: string;
  readonly call_id: unknown;
  readonly name: unknown;
}

export function callItem(head: CallHead, status: ItemStatus, written: string): Json {
  return { type: 'function_call', status, ...head, arguments: written };
}

/** The one part of that text, or none when it is empty. */
export function textPart(type: 'output_text' | 'refusal', text: string): readonly Json[] {
  if (text === '') return [];
  return [type === 'refusal' ? { type, refusal: text } : { type, text, annotations: [] }];
}

/** The whole response, its status told by why the model stopped. */
export function finishedResponse(head: Json, output: readonly Json[], finish: unknown, reply: Json): Json {
  const usage = responsesUsage(asObject(reply['usage']));
  const ending = entryOf(ENDINGS, finish) ?? COMPLETED;
  return { ...head, ...ending, output, ...present({ usage }) };
}

const COMPLETED = { status: 'completed', error: null, incomplete_details: null };

const ENDINGS: Readonly<Record<string, Json>> = {
  length: { status: 'incomplete', error: null, incomplete_details: { reason: 'max_output_tokens' } },
  content_filter: {
    status: 'failed',
    error: { code: 'content_filter', message: 'Content filtered' },
    incomplete_details: null,
  },
};

function responsesUsage(usage: Json | undefined): Json | undefined {
  if (usage === undefined) return undefined;
  const input = numberAt(usage, 'prompt_tokens') ?? 0;
  const completion = numberAt(usage, 'completion_tokens') ?? 0;
  const total = numberAt(usage, 'total_tokens') ?? input + completion;
  // Some compatible providers leave out what they count only in the total.
  const output = completion === 0 ? Math.max(0, total - input) : completion;
  const details = asObject(usage['prompt_tokens_details']);
  const cached = numberAt(details, 'cached_tokens') ?? numberAt(usage, 'cache_read_input_tokens');
  const created = numberAt(details, 'cache_write_tokens') ?? numberAt(usage, 'cache_creation_input_tokens');
  const reasoning = numberAt(asObject(usage['completion_tokens_details']), 'reasoning_tokens');
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached ?? 0, ...present({ cache_write_tokens: created }) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: total,
  };
}
