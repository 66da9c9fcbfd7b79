import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { expect, test } from 'vitest';
import { wholeEvent } from '../../../upstreams/realtime/whole-event.ts';

test('an event has what the types of the official client library ask of it', () => {
  const whole: RealtimeServerEvent = {
    type: 'response.output_text.done',
    text: 'fine',
    event_id: 'event_3',
    response_id: 'resp_1',
    item_id: 'item_1',
    output_index: 0,
    content_index: 0,
  };
  expect(wholeEvent({ type: 'response.output_text.done', text: 'fine' }, 3)).toStrictEqual(whole);
});

test('what the script says of an event and of its response counts', () => {
  const usage = { input_tokens: 3, output_tokens: 4 };
  expect(wholeEvent({ type: 'response.done', event_id: 'mine', response: { usage } }, 1)).toStrictEqual({
    type: 'response.done',
    event_id: 'mine',
    response: { id: 'resp_1', object: 'realtime.response', status: 'completed', output: [], usage },
  });
});

test('an event of another type is sent as it is written', () => {
  const event = { type: 'something.else', event: 1 };
  expect(wholeEvent(event, 1)).toBe(event);
});
