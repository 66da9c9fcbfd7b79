import { asObject, asObjects, asString } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { replyText } from '../reply-text.ts';
import { jsonEvent, type StreamEvent } from '../../streams/stream-event.ts';
import type { EventTranslator } from '../stop-at-errors.ts';
import { callKeys } from '../../formats/call-keys.ts';
import { replyModel, type Stamp } from '../translation.ts';
import { growingCall, growingText } from './items.ts';
import type { GrowingItem, Write } from './items.ts';
import { finishedResponse, itemStatus, responseHead } from './reply.ts';

/** Chunks of a chat completion in, events of a response out. Items may grow side by side: each event names its own. */
export function responsesEvents(stamp: Stamp): EventTranslator {
  const items = new Map<string, GrowingItem>();
  const keyOf = callKeys();
  let sequence = 0;
  let head: Json | undefined;
  let finish: string | undefined;
  let counts: Json = {};
  let finished = false;

  const write: Write = (type, members) => {
    sequence += 1;
    return jsonEvent({ type, sequence_number: sequence, ...members }, type);
  };

  const start = (chunk: Json): readonly StreamEvent[] => {
    if (head !== undefined) return [];
    head = responseHead(replyModel(chunk['model'], stamp), stamp);
    const response = { ...head, status: 'in_progress', error: null, incomplete_details: null, output: [] };
    return [write('response.created', { response }), write('response.in_progress', { response })];
  };

  const text = (type: 'output_text' | 'refusal', piece: string): readonly StreamEvent[] => {
    if (piece === '') return [];
    const known = items.get(type);
    if (known !== undefined) return known.grow(piece);
    const { opened, item } = growingText(type, items.size, stamp, write);
    items.set(type, item);
    return [...opened, ...item.grow(piece)];
  };

  const call = (delta: Json, position: number): readonly StreamEvent[] => {
    const key = keyOf(delta, position);
    const called = asObject(delta['function']);
    const piece = asString(called?.['arguments']) ?? '';
    const known = items.get(`call ${key}`);
    if (known !== undefined) return known.grow(piece);
    const name = asString(called?.['name']) ?? '';
    const begun = { id: `call_${stamp.id()}`, call_id: asString(delta['id']) ?? `tool_call_${key}`, name };
    const { opened, item } = growingCall(begun, items.size, write);
    items.set(`call ${key}`, item);
    return [...opened, ...item.grow(piece)];
  };

  const complete = (): readonly StreamEvent[] => {
    finished = true;
    const open = [...items.values()];
    const closing = open.flatMap((item, at) => item.close(itemStatus(finish, at === open.length - 1)));
    const output = open.map((item, at) => item.item(itemStatus(finish, at === open.length - 1)));
    const response = finishedResponse(head ?? {}, output, finish, counts);
    return [...closing, write(`response.${asString(response['status']) ?? ''}`, { response })];
  };

  return {
    data: (chunk) => {
      const choice = asObjects(chunk['choices'])[0];
      const delta = asObject(choice?.['delta']) ?? {};
      finish = asString(choice?.['finish_reason']) ?? finish;
      const counted = asObject(chunk['usage']) !== undefined;
      if (counted) counts = { usage: chunk['usage'] };
      const events = [
        ...start(chunk),
        ...text('output_text', replyText(delta['content'])),
        ...text('refusal', asString(delta['refusal']) ?? ''),
        ...asObjects(delta['tool_calls']).flatMap(call),
      ];
      return finish !== undefined && counted ? [...events, ...complete()] : events;
    },
    done: () => [...start({}), ...complete()],
    stopped: () => (finish === undefined ? undefined : complete()),
    complete: () => finished,
  };
}
