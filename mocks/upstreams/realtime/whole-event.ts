import { isJsonObject } from '../../json.ts';
import type { Json } from '../../json.ts';

/**
 * An event as the public reference of the realtime API has it: what its type needs beside what the script says is added, so that a
 * script says only what its case is about. Events of other types are sent as they are written.
 */
export function wholeEvent(event: Json, number: number): Json {
  const { type, response } = event;
  const needed = typeof type === 'string' ? NEEDED.get(type) : undefined;
  if (needed === undefined) return event;
  const whole = { event_id: `event_${number}`, ...needed, ...event };
  const { response: usual } = needed;
  return isJsonObject(usual) && isJsonObject(response) ? { ...whole, response: { ...usual, ...response } } : whole;
}

const RESPONSE: Json = { id: 'resp_1', object: 'realtime.response', status: 'completed', output: [] };
const OF_ITEM: Json = { response_id: 'resp_1', output_index: 0 };
const OF_PART: Json = { ...OF_ITEM, item_id: 'item_1', content_index: 0 };

const NEEDED: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['session.created', { session: { type: 'realtime', object: 'realtime.session', id: 'sess_1' } }],
  ['response.created', { response: { ...RESPONSE, status: 'in_progress' } }],
  ['response.output_text.delta', OF_PART],
  ['response.output_text.done', OF_PART],
  ['response.content_part.done', OF_PART],
  ['response.output_item.done', OF_ITEM],
  ['response.done', { response: RESPONSE }],
]);
