import { asNumber, asObject, asObjects, asString, present, type Json } from '../../../json.ts';
import { UnreadableReply } from '../translation.ts';

/** The content of a reply. Throws UnreadableReply when there is none. */
export function contentOf(reply: Json): readonly Json[] {
  const content = asObject(asObject(reply['output'])?.['message'])?.['content'];
  if (!Array.isArray(content)) throw new UnreadableReply('the reply has no output message');
  return asObjects(content);
}

/** `usage` of a reply, or of the `metadata` event, with the names that messages has for the same counts. */
export function usageOf(replyOrMetadata: Json | undefined): Json {
  const usage = asObject(replyOrMetadata?.['usage']) ?? {};
  return present({
    input_tokens: asNumber(usage['inputTokens']) ?? 0,
    output_tokens: asNumber(usage['outputTokens']) ?? 0,
    cache_read_input_tokens: asNumber(usage['cacheReadInputTokens']),
    cache_creation_input_tokens: asNumber(usage['cacheWriteInputTokens']),
  });
}

/** What the model thought, and the proof that it did. */
export function reasoningOf(part: Json): { readonly text: string; readonly signature: string } | undefined {
  const reasoning = asObject(asObject(part['reasoningContent'])?.['reasoningText']);
  if (reasoning === undefined) return undefined;
  return { text: asString(reasoning['text']) ?? '', signature: asString(reasoning['signature']) ?? '' };
}

/** Thoughts that only the provider can read. */
export function redactedOf(part: Json): string | undefined {
  return asString(asObject(part['reasoningContent'])?.['redactedContent']);
}
