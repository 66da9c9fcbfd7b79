import { asNumber, asObject, asString, entryOf } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import type { StreamEvent } from '../../streams/stream-event.ts';
import { messageEvent } from '../message-event.ts';
import { usageOf } from '../converse/reply-parts.ts';
import type { EventTranslator } from '../stop-at-errors.ts';
import type { Stamp } from '../translation.ts';
import { stopReason } from './reply.ts';
import { namesIn } from './request.ts';

/** Events of Converse in, events of a message out: blocks have the same order on both sides. */
export function messagesEvents({ id, request = {} }: Stamp): EventTranslator {
  const names = namesIn(request);
  /** Of the block that is open, on the provider's side. */
  let open: number | undefined;
  let index = -1;
  let called = false;
  let stop: string | undefined;
  let complete = false;

  const begin = (key: number, block: Json): readonly StreamEvent[] => {
    if (open === key) return [];
    const closed = end();
    open = key;
    index += 1;
    return [...closed, messageEvent({ type: 'content_block_start', index, content_block: block })];
  };

  const end = (): readonly StreamEvent[] => {
    if (open === undefined) return [];
    open = undefined;
    return [messageEvent({ type: 'content_block_stop', index })];
  };

  /** Blocks of text and of thoughts begin with their first piece. */
  const piece = (key: number, block: Json, delta: Json): readonly StreamEvent[] => [
    ...begin(key, block),
    messageEvent({ type: 'content_block_delta', index, delta }),
  ];

  const finish = (usage: Json): readonly StreamEvent[] => {
    complete = true;
    const delta = { stop_reason: stop ?? 'end_turn', stop_sequence: null };
    return [...end(), messageEvent({ type: 'message_delta', delta, usage }), messageEvent({ type: 'message_stop' })];
  };

  const HANDLERS: Readonly<Record<string, (data: Json) => readonly StreamEvent[]>> = {
    messageStart: () => [
      messageEvent({ type: 'message_start', message: emptyMessage(`msg_${id()}`, request['model'] ?? '') }),
    ],
    contentBlockStart: (data) => {
      const use = asObject(asObject(data['start'])?.['toolUse']);
      if (use === undefined) return [];
      const name = names.restored(asString(use['name']) ?? '');
      called = true;
      return begin(blockOf(data), { type: 'tool_use', id: use['toolUseId'], name, input: {} });
    },
    contentBlockDelta: (data) => {
      const key = blockOf(data);
      const delta = asObject(data['delta']) ?? {};
      const reasoning = asObject(delta['reasoningContent']) ?? {};
      const [text, thought] = [asString(delta['text']), asString(reasoning['text'])];
      const [signature, redacted] = [asString(reasoning['signature']), asString(reasoning['redactedContent'])];
      const input = asString(asObject(delta['toolUse'])?.['input']);
      if (text !== undefined) return piece(key, { type: 'text', text: '' }, { type: 'text_delta', text });
      if (thought !== undefined) return piece(key, EMPTY_THOUGHT, { type: 'thinking_delta', thinking: thought });
      if (signature !== undefined) return piece(key, EMPTY_THOUGHT, { type: 'signature_delta', signature });
      if (redacted !== undefined) return begin(key, { type: 'redacted_thinking', data: redacted });
      if (input === undefined || input === '' || open !== key) return [];
      return [
        messageEvent({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: input } }),
      ];
    },
    contentBlockStop: end,
    messageStop: (data) => {
      stop = stopReason(data['stopReason'], called);
      return end();
    },
    metadata: (data) => (stop === undefined ? [] : finish(usageOf(data))),
  };

  return {
    data: (data) =>
      Object.entries(data).flatMap(([name, event]) => entryOf(HANDLERS, name)?.(asObject(event) ?? {}) ?? []),
    done: () => finish(usageOf(undefined)),
    stopped: () => (stop === undefined ? undefined : finish(usageOf(undefined))),
    complete: () => complete,
  };
}

const EMPTY_THOUGHT: Json = { type: 'thinking', thinking: '', signature: '' };

function blockOf(data: Json): number {
  return asNumber(data['contentBlockIndex']) ?? 0;
}

function emptyMessage(id: string, model: unknown): Json {
  const usage = { input_tokens: 0, output_tokens: 0 };
  const stopped = { stop_reason: null, stop_sequence: null };
  return { id, type: 'message', role: 'assistant', model, content: [], ...stopped, usage };
}
