import type { Json } from '../../json.ts';
import type { StreamEvent } from '../../streams/stream-event.ts';
import type { Stamp } from '../translation.ts';
import { callItem, messageItem, textPart, type CallHead } from './reply.ts';

/** Writes one numbered event; the number is added. */
export type Write = (type: string, members: Json) => StreamEvent;

/** An output item that grows. */
export interface GrowingItem {
  readonly grow: (piece: string) => readonly StreamEvent[];
  readonly close: () => readonly StreamEvent[];
  /** The item when it is closed. */
  readonly item: () => Json;
}

/** A message with one part of text, and the events that open it. */
export function growingText(
  type: 'output_text' | 'refusal',
  outputIndex: number,
  stamp: Stamp,
  write: Write,
): { readonly opened: readonly StreamEvent[]; readonly item: GrowingItem } {
  const id = `msg_${stamp.id()}`;
  const at = { item_id: id, output_index: outputIndex, content_index: 0 };
  const none = type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [] };
  let text = '';
  const item = (): Json => messageItem(id, 'completed', textPart(type, text));
  const done = (): Json => (type === 'refusal' ? { refusal: text } : { text });
  return {
    opened: [
      write('response.output_item.added', { output_index: outputIndex, item: messageItem(id, 'in_progress', []) }),
      write('response.content_part.added', { ...at, part: none }),
    ],
    item: {
      grow: (piece) => {
        text += piece;
        return [write(`response.${type}.delta`, { ...at, delta: piece })];
      },
      close: () => [
        write(`response.${type}.done`, { ...at, ...done() }),
        ...textPart(type, text).map((part) => write('response.content_part.done', { ...at, part })),
        write('response.output_item.done', { output_index: outputIndex, item: item() }),
      ],
      item,
    },
  };
}

/** A call of a function, and the event that opens it. */
export function growingCall(
  head: CallHead,
  outputIndex: number,
  write: Write,
): { readonly opened: readonly StreamEvent[]; readonly item: GrowingItem } {
  const { id, name } = head;
  const at = { item_id: id, output_index: outputIndex };
  let written = '';
  const item = (): Json => callItem(head, 'completed', written);
  const started = callItem(head, 'in_progress', '');
  return {
    opened: [write('response.output_item.added', { output_index: outputIndex, item: started })],
    item: {
      grow: (piece) => {
        if (piece === '') return [];
        written += piece;
        return [write('response.function_call_arguments.delta', { ...at, delta: piece })];
      },
      close: () => [
        write('response.function_call_arguments.done', { ...at, name, arguments: written }),
        write('response.output_item.done', { output_index: outputIndex, item: item() }),
      ],
      item,
    },
  };
}
