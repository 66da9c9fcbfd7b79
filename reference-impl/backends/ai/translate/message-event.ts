import type { Json } from '../../json.ts';
import { jsonEvent, type StreamEvent } from '../streams/stream-event.ts';

/** An event of the messages format: its name is its type. */
export function messageEvent(data: Json & { readonly type: string }): StreamEvent {
  return jsonEvent(data, data.type);
}
