import { asNumber, asObject, asObjects, asString, entryOf, parseJson, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { replyText } from '../reply-text.ts';
import { replyModel, UnreadableReply, type Stamp } from '../translation.ts';

/** A chat completion as a message. Throws UnreadableReply when it has no choice. */
export function messagesReply(reply: Json, stamp: Stamp): Json {
  const choice = asObjects(reply['choices'])[0];
  const message = asObject(choice?.['message']);
  if (choice === undefined || message === undefined)
    throw new UnreadableReply('the reply has no choice with a message');
  const refusal = asString(message['refusal']) ?? '';
  const text = `${replyText(message['content'])}${refusal}`;
  const calls = asObjects(message['tool_calls']).map(toolUse);
  return {
    id: reply['id'],
    type: 'message',
    role: 'assistant',
    model: replyModel(reply['model'], stamp),
    content: [...(text === '' ? [] : [{ type: 'text', text }]), ...calls],
    stop_reason: stopReason(choice['finish_reason'], refusal !== '', calls.length > 0),
    stop_sequence: null,
    usage: messagesUsage(reply),
  };
}

/** Why the model stopped; a provider that gives no reason stopped for the tools it called, or because it was done. */
export function stopReason(finish: unknown, refused: boolean, called: boolean): string {
  if (refused) return 'refusal';
  // Asked for one tool by name, a provider of completions says stop after its call.
  if (called && finish === 'stop') return 'tool_use';
  return entryOf(STOP_REASONS, finish) ?? (called ? 'tool_use' : 'end_turn');
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** Usage of a chat completion or chunk: here the cache is not part of the input. */
export function messagesUsage(reply: Json): Json {
  const usage = asObject(reply['usage']) ?? {};
  const details = asObject(usage['prompt_tokens_details']);
  const cached = asNumber(details?.['cached_tokens']) ?? asNumber(usage['cache_read_input_tokens']);
  const created = asNumber(details?.['cache_write_tokens']) ?? asNumber(usage['cache_creation_input_tokens']);
  return present({
    input_tokens: Math.max(0, (asNumber(usage['prompt_tokens']) ?? 0) - (cached ?? 0) - (created ?? 0)),
    output_tokens: asNumber(usage['completion_tokens']) ?? 0,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: created,
    service_tier: asString(reply['service_tier']),
  });
}

function toolUse(call: Json, index: number): Json {
  const called = asObject(call['function']);
  const id = asString(call['id']) ?? `tool_call_${index}`;
  return { type: 'tool_use', id, name: asString(called?.['name']) ?? '', input: toolInput(called?.['arguments']) };
}

/** Arguments that are not JSON are kept as the text they are. */
function toolInput(text: unknown): unknown {
  const written = asString(text) ?? '';
  return written.trim() === '' ? {} : (parseJson(written) ?? written);
}
