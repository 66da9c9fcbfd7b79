import { asNumber, asObject, asObjects, asString, parseJson, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { replyModel, UnreadableReply, type Stamp } from '../translation.ts';
import { upstreamError } from '../upstream-error.ts';

/** A response as a message. Throws UnreadableReply when it failed or has no output. */
export function messagesReply(reply: Json, stamp: Stamp): Json {
  if (reply['status'] === 'failed') throw new UnreadableReply(upstreamError(reply).message);
  if (!Array.isArray(reply['output'])) throw new UnreadableReply('the reply has no output');
  return {
    id: reply['id'],
    type: 'message',
    role: 'assistant',
    model: replyModel(reply['model'], stamp),
    content: asObjects(reply['output']).flatMap(blocks),
    stop_reason: stopReason(reply),
    stop_sequence: null,
    usage: messagesUsage(asObject(reply['usage'])),
  };
}

/** Why the model stopped, from the status of the response and what it put out. */
export function stopReason(response: Json): string {
  const output = asObjects(response['output']);
  const parts = output.flatMap((item) => asObjects(item['content']));
  if (parts.some(({ type }) => type === 'refusal')) return 'refusal';
  if (response['status'] === 'incomplete') {
    return asObject(response['incomplete_details'])?.['reason'] === 'content_filter' ? 'refusal' : 'max_tokens';
  }
  return output.some(({ type }) => type === 'function_call') ? 'tool_use' : 'end_turn';
}

/** Here the cache is not part of the input. */
export function messagesUsage(usage: Json | undefined): Json {
  const details = asObject(usage?.['input_tokens_details']);
  const cached = asNumber(details?.['cached_tokens']);
  const created = asNumber(details?.['cache_write_tokens']);
  return present({
    input_tokens: Math.max(0, (asNumber(usage?.['input_tokens']) ?? 0) - (cached ?? 0) - (created ?? 0)),
    output_tokens: asNumber(usage?.['output_tokens']) ?? 0,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: created,
  });
}

/** Reasoning has no counterpart without the signature of the other provider. */
function blocks(item: Json): readonly Json[] {
  if (item['type'] === 'function_call') {
    const written = asString(item['arguments']) ?? '';
    const input = written.trim() === '' ? {} : (parseJson(written) ?? written);
    return [{ type: 'tool_use', id: item['call_id'], name: item['name'], input }];
  }
  if (item['type'] !== 'message') return [];
  return asObjects(item['content']).flatMap((part) => {
    const text = asString(part['text']) ?? asString(part['refusal']) ?? '';
    return text === '' ? [] : [{ type: 'text', text }];
  });
}
