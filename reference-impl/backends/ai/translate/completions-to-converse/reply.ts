import { asObject, asString, entryOf, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { completionUsage } from '../completions-to-messages/reply.ts';
import { contentOf, reasoningOf, usageOf } from '../converse/reply-parts.ts';
import type { ToolNames } from '../converse/tool-names.ts';
import type { Stamp } from '../translation.ts';
import { namesIn } from './request.ts';

/** A reply of Converse as a chat completion with one choice. Throws UnreadableReply when it has no message. */
export function completionReply(reply: Json, stamp: Stamp): Json {
  const { created, id, request = {} } = stamp;
  const content = contentOf(reply);
  const names = namesIn(request);
  const text = content.map((part) => asString(part['text']) ?? '').join('');
  const calls = content.flatMap((part) => toolCall(part, names));
  const thoughts = content.flatMap((part) => reasoningOf(part) ?? []);
  const message = present({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: thoughts.length === 0 ? undefined : thoughts.map((thought) => thought.text).join(''),
    reasoning_signature: thoughts.find(({ signature }) => signature !== '')?.signature,
    tool_calls: calls.length === 0 ? undefined : calls,
  });
  return {
    id: `chatcmpl-${id()}`,
    object: 'chat.completion',
    created,
    model: request['model'] ?? '',
    choices: [
      { index: 0, message, logprobs: null, finish_reason: finishReason(reply['stopReason'], calls.length > 0) },
    ],
    usage: completionUsage(usageOf(reply)),
  };
}

/** Why the model stopped; a provider that says it was done was not when it called a tool. */
export function finishReason(stop: unknown, called: boolean): string {
  const reason = entryOf(FINISH_REASONS, stop) ?? 'stop';
  return called && reason === 'stop' ? 'tool_calls' : reason;
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
};

function toolCall(part: Json, { restored }: ToolNames): readonly Json[] {
  const use = asObject(part['toolUse']);
  if (use === undefined) return [];
  const called = { name: restored(asString(use['name']) ?? ''), arguments: JSON.stringify(use['input'] ?? {}) };
  return [{ id: use['toolUseId'], type: 'function', function: called }];
}
