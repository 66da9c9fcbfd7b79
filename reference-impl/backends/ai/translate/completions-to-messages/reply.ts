import { asNumber, asObject, asObjects, asString, entryOf, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { UnreadableReply } from '../translation.ts';
import { replyModel, type Stamp } from '../translation.ts';

/** A message as a chat completion with one choice. Throws UnreadableReply when it has no content list. */
export function completionReply(reply: Json, stamp: Stamp): Json {
  const { created } = stamp;
  if (!Array.isArray(reply['content'])) throw new UnreadableReply('the reply has no content');
  const blocks = asObjects(reply['content']);
  const text = joinTexts(blocks, 'text', 'text');
  const thinking = joinTexts(blocks, 'thinking', 'thinking');
  const calls = blocks.filter(({ type }) => isToolUse(type)).map(toolCall);
  const message = present({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: thinking === '' ? undefined : thinking,
    reasoning_signature: signatureOf(blocks),
    tool_calls: calls.length === 0 ? undefined : calls,
  });
  return {
    id: reply['id'],
    object: 'chat.completion',
    created,
    model: replyModel(reply['model'], stamp),
    choices: [
      { index: 0, message, logprobs: null, finish_reason: finishReason(reply['stop_reason'], blocks.some(isOwnCall)) },
    ],
    usage: completionUsage(asObject(reply['usage']) ?? {}),
  };
}

/** Why the model stopped; a provider that says it was done was not when it called a tool of the client. */
export function finishReason(stop: unknown, called: boolean): string {
  const reason = entryOf(FINISH_REASONS, stop) ?? 'stop';
  return called && reason === 'stop' ? 'tool_calls' : reason;
}

export function isOwnCall({ type }: Json): boolean {
  return type === 'tool_use';
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

export function isThought(type: unknown): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The proof of what the model thought; of several thoughts joined to one text there is none. */
function signatureOf(blocks: readonly Json[]): string | undefined {
  const [only, ...others] = blocks.filter(({ type }) => isThought(type));
  const signature = asString(only?.['signature']) ?? '';
  return others.length > 0 || signature === '' ? undefined : signature;
}

export function isToolUse(type: unknown): boolean {
  return type === 'tool_use' || type === 'server_tool_use';
}

/** Usage of a message; here the cache is part of the prompt. */
export function completionUsage(usage: Json): Json {
  const input = asNumber(usage['input_tokens']) ?? 0;
  const output = asNumber(usage['output_tokens']) ?? 0;
  const cached = asNumber(usage['cache_read_input_tokens']);
  const created = asNumber(usage['cache_creation_input_tokens']);
  const prompt = input + (cached ?? 0) + (created ?? 0);
  const details = present({ cached_tokens: cached, cache_write_tokens: created });
  return present({
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: cached === undefined && created === undefined ? undefined : details,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: created,
  });
}

function joinTexts(blocks: readonly Json[], type: string, member: string): string {
  return blocks
    .filter((block) => block['type'] === type)
    .map((block) => asString(block[member]) ?? '')
    .join('');
}

function toolCall(block: Json): Json {
  const called = { name: block['name'], arguments: JSON.stringify(block['input'] ?? {}) };
  return { id: block['id'], type: 'function', function: called };
}
