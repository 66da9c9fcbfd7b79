import { asObject, asString, entryOf } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { contentOf, reasoningOf, redactedOf, usageOf } from '../converse/reply-parts.ts';
import type { ToolNames } from '../converse/tool-names.ts';
import type { Stamp } from '../translation.ts';
import { namesIn } from './request.ts';

/** A reply of Converse as a message. Throws UnreadableReply when it has no message. */
export function messagesReply(reply: Json, { id, request = {} }: Stamp): Json {
  const names = namesIn(request);
  const content = contentOf(reply).flatMap((part) => block(part, names));
  const called = content.some(({ type }) => type === 'tool_use');
  return {
    id: `msg_${id()}`,
    type: 'message',
    role: 'assistant',
    model: request['model'] ?? '',
    content,
    stop_reason: stopReason(reply['stopReason'], called),
    stop_sequence: null,
    usage: usageOf(reply),
  };
}

/** Why the model stopped; a provider that says it was done was not when it called a tool. */
export function stopReason(stop: unknown, called: boolean): string {
  const reason = entryOf(STOP_REASONS, stop) ?? 'end_turn';
  return called && reason === 'end_turn' ? 'tool_use' : reason;
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'end_turn',
  stop_sequence: 'stop_sequence',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'max_tokens',
  tool_use: 'tool_use',
  content_filtered: 'refusal',
  guardrail_intervened: 'refusal',
};

function block(part: Json, { restored }: ToolNames): readonly Json[] {
  const text = asString(part['text']);
  if (text !== undefined) return [{ type: 'text', text }];
  const use = asObject(part['toolUse']);
  if (use !== undefined) {
    const name = restored(asString(use['name']) ?? '');
    return [{ type: 'tool_use', id: use['toolUseId'], name, input: use['input'] ?? {} }];
  }
  const thought = reasoningOf(part);
  if (thought !== undefined) return [{ type: 'thinking', thinking: thought.text, signature: thought.signature }];
  const data = redactedOf(part);
  return data === undefined ? [] : [{ type: 'redacted_thinking', data }];
}
