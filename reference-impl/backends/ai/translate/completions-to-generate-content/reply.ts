import { asNumber, asObject, asObjects, asString, present, type Json } from '../../../json.ts';
import { generateContentUsage } from '../../formats/generate-content.ts';
import { replyModel, UnreadableReply, type Stamp } from '../translation.ts';
import { withThoughtSignature } from './thought-signature.ts';

/** A reply in the native form as a chat completion. Throws UnreadableReply when it has no candidate and was not blocked. */
export function completionReply(reply: Json, stamp: Stamp): Json {
  const id = asString(reply['responseId']) ?? stamp.id();
  const candidates = asObjects(reply['candidates']);
  const blocked = isBlocked(reply);
  if (candidates.length === 0 && !blocked) throw new UnreadableReply('the reply has no candidates');
  return present({
    id,
    object: 'chat.completion',
    created: stamp.created,
    model: replyModel(reply['modelVersion'], stamp),
    choices: candidates.length === 0 ? [BLOCKED] : candidates.map((candidate, index) => choice(candidate, index, id)),
    usage: completionUsage(reply),
  });
}

/** The prompt itself was refused: there is no answer, and that is the answer. */
export function isBlocked(reply: Json): boolean {
  return asString(asObject(reply['promptFeedback'])?.['blockReason']) !== undefined;
}

const BLOCKED: Json = {
  index: 0,
  message: { role: 'assistant', content: '', refusal: null },
  logprobs: null,
  finish_reason: 'content_filter',
};

function choice(candidate: Json, place: number, id: string): Json {
  const parts = partsOf(candidate);
  const calls = parts.filter(isCall).map((part, index) => toolCall(part, index, id));
  const text = textOf(parts.filter((part) => !isThought(part)));
  const reasoning = textOf(parts.filter(isThought));
  const message = present({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: reasoning === '' ? undefined : reasoning,
    tool_calls: calls.length === 0 ? undefined : calls,
  });
  const finish = finishReason(candidate['finishReason'], calls.length > 0);
  return { index: asNumber(candidate['index']) ?? place, message, logprobs: null, finish_reason: finish };
}

export function partsOf(candidate: Json): readonly Json[] {
  return asObjects(asObject(candidate['content'])?.['parts']);
}

export function isThought(part: Json): boolean {
  return part['thought'] === true;
}

export function isCall(part: Json): boolean {
  return asObject(part['functionCall']) !== undefined;
}

export function textOf(parts: readonly Json[]): string {
  return parts.map((part) => asString(part['text']) ?? '').join('');
}

/** A call the model makes; `index` counts the calls of its reply. */
export function toolCall(part: Json, index: number, replyId: string): Json {
  const call = asObject(part['functionCall']) ?? {};
  const id = asString(call['id']) ?? `call_${replyId}_${index}`;
  return {
    id: withThoughtSignature(id, asString(part['thoughtSignature'])),
    type: 'function',
    function: { name: call['name'], arguments: JSON.stringify(call['args'] ?? {}) },
  };
}

/** Why the model stopped; the provider does not say so when it stopped to call tools. */
export function finishReason(reason: unknown, called: boolean): string {
  if (reason === 'MAX_TOKENS') return 'length';
  if (typeof reason === 'string' && FILTERED.has(reason)) return 'content_filter';
  return called ? 'tool_calls' : 'stop';
}

const FILTERED: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/** Usage of a reply or of an event; undefined when it says nothing. What the model thought is part of the completion. */
export function completionUsage(reply: Json): Json | undefined {
  const usage = generateContentUsage(reply);
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return present({
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: usage.providerTotalTokens ?? inputTokens + outputTokens,
    prompt_tokens_details: cachedInputTokens === undefined ? undefined : { cached_tokens: cachedInputTokens },
    completion_tokens_details: reasoningTokens === undefined ? undefined : { reasoning_tokens: reasoningTokens },
  });
}
