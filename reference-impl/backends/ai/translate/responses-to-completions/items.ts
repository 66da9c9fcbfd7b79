import type { Json } from '../../../json.ts';
import type { StreamEvent } from '../../streams/stream-event.ts';
import type { Stamp } from '../translation.ts';
import { callItem, messageItem, textPart, type CallHead, type ItemStatus } from './reply.ts';

/** Writes one numbered event; the number is added. */
export type Write = (type: string, members: Json) => StreamEvent;

/** An output item that grows. */
export interface GrowingItem {
  readonly grow: (piece: string) => readonly StreamEvent[];
  readonly close: (status: ItemStatus) => readonly StreamEvent[];
  /** The item when it is closed, whole or cut off. */
  readonly item: (status: ItemStatus) => Json;
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
  const item = (status: ItemStatus): Json => messageItem(id, status, textPart(type, text));
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
      close: (status) => [
        write(`response.${type}.done`, { ...at, ...done() }),
        ...textPart(type, text).map((part) => write('response.content_part.done', { ...at, part })),
        write('response.output_item.done', { output_index: outputIndex, item: item(status) }),
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
  const item = (status: ItemStatus): Json => callItem(head, status, written);
  const started = callItem(head, 'in_progress', '');
  return {
    opened: [write('response.output_item.added', { output_index: outputIndex, item: started })],
    item: {
      grow: (piece) => {
        if (piece === '') return [];
        written += piece;
        return [write('response.function_call_arguments.delta', { ...at, delta: piece })];
      },
      close: (status) => [
        write('response.function_call_arguments.done', { ...at, name, arguments: written }),
        write('response.output_item.done', { output_index: outputIndex, item: item(status) }),
      ],
      item,
    },
  };
}
