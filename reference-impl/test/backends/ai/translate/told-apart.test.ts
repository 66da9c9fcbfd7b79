import { describe, expect, test } from 'vitest';
import { streamedReply } from '../../../../backends/ai/call/streamed-reply.ts';
import { callKeys } from '../../../../backends/ai/formats/call-keys.ts';
import { asObject, asObjects, asString, parseObject, type Json } from '../../../../backends/json.ts';
import { textEvent } from '../../../../backends/ai/streams/stream-event.ts';
import { completionsToConverse } from '../../../../backends/ai/translate/completions-to-converse.ts';
import { completionsToGenerateContent } from '../../../../backends/ai/translate/completions-to-generate-content.ts';
import { completionsToMessages } from '../../../../backends/ai/translate/completions-to-messages.ts';
import { messagesToCompletions } from '../../../../backends/ai/translate/messages-to-completions.ts';
import { messagesToConverse } from '../../../../backends/ai/translate/messages-to-converse.ts';
import { messagesToResponses } from '../../../../backends/ai/translate/messages-to-responses.ts';
import { responsesToCompletions } from '../../../../backends/ai/translate/responses-to-completions.ts';
import type { Translation } from '../../../../backends/ai/translate/translation.ts';

// docs/decisions/ai-formats.md: what a provider leaves out of its answer, or tells in a way of its own.

const stamp = { created: 1, id: () => 'id', request: { model: 'asked' } };

function streamed({ stream }: Translation, events: readonly Json[]): readonly Json[] {
  const translator = stream(stamp);
  const told = [...events.flatMap((event) => translator.event(textEvent(JSON.stringify(event)))), ...translator.end()];
  return told.map(({ data = '' }) => parseObject(data)).filter((json) => json !== undefined);
}

const piece = (id: string | undefined, name: string | undefined, written: string): Json => ({
  choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id, function: { name, arguments: written } }] } }],
});
const SAME_INDEX = [
  piece('a', 'f', '{"x":'),
  piece(undefined, undefined, '1}'),
  piece('b', 'g', ''),
  piece('b', undefined, '{"y":2}'),
  {
    choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  },
];

const call = (id: string, name?: string): Json => ({ index: 0, id, function: { name } });

describe('calls that all have the same index', () => {
  test('are blocks of their own for a client of messages', () => {
    const events = streamed(messagesToCompletions, SAME_INDEX);
    const blocks = events.flatMap((event) => asObject(event['content_block']) ?? []);
    expect(blocks).toMatchObject([
      { type: 'tool_use', id: 'a', name: 'f' },
      { type: 'tool_use', id: 'b', name: 'g' },
    ]);
    const written = events.flatMap((event) => asString(asObject(event['delta'])?.['partial_json']) ?? []);
    expect(written.join('')).toBe('{"x":1}{"y":2}');
  });

  test('are items of their own for a client of responses', () => {
    const last = streamed(responsesToCompletions, SAME_INDEX).at(-1);
    expect(asObject(last?.['response'])?.['output']).toMatchObject([
      { call_id: 'a', name: 'f', arguments: '{"x":1}' },
      { call_id: 'b', name: 'g', arguments: '{"y":2}' },
    ]);
  });

  test('are calls of their own for expressions', () => {
    const reply = streamedReply('completions');
    for (const event of SAME_INDEX) reply?.event(event);
    expect(reply?.toolCalls()).toEqual([
      { id: 'a', name: 'f', arguments: '{"x":1}' },
      { id: 'b', name: 'g', arguments: '{"y":2}' },
    ]);
  });

  test('are one call while it has no other beginning', () => {
    const keyOf = callKeys();
    const keys = [call('a', 'f'), call('a', 'f'), call('x'), call('', 'f'), call('b', 'g'), call('c', 'h')];
    expect(keys.map((one) => keyOf(one, 0))).toEqual(['0', '0', '0', '0', '0 b', '0 c']);
  });
});

const MODELLESS: readonly (readonly [Translation, Json, readonly Json[]])[] = [
  [
    messagesToCompletions,
    { choices: [{ message: { content: 'a' } }], model: '' },
    [{ choices: [{ delta: { content: 'a' } }] }],
  ],
  [
    responsesToCompletions,
    { choices: [{ message: { content: 'a' } }] },
    [{ choices: [{ delta: { content: 'a' } }], model: '' }],
  ],
  [messagesToResponses, { output: [] }, [{ type: 'response.created', response: { id: 'r', model: '' } }]],
  [completionsToMessages, { content: [] }, [{ type: 'message_start', message: { id: 'm' } }]],
  [
    completionsToGenerateContent,
    { candidates: [{ content: { parts: [{ text: 'a' }] } }] },
    [{ candidates: [{ content: { parts: [{ text: 'a' }] } }] }],
  ],
];

test.each(MODELLESS)(
  'a reply that names no model has the one that was asked for (%#)',
  (translation, reply, events) => {
    expect(translation.reply(reply, stamp)['model']).toBe('asked');
    const [first] = streamed(translation, events);
    const head = asObject(first?.['message']) ?? asObject(first?.['response']) ?? first;
    expect(head?.['model']).toBe('asked');
  },
);

describe('a provider that says it was done, after a call', () => {
  const toolUse = { toolUseId: 'a', name: 'f', input: {} };
  const reply = { output: { message: { content: [{ toolUse }] } }, stopReason: 'end_turn' };
  const events = [
    { messageStart: {} },
    { contentBlockStart: { contentBlockIndex: 0, start: { toolUse } } },
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason: 'end_turn' } },
    { metadata: { usage: {} } },
  ];

  test('called, for a client of completions', () => {
    expect(completionsToConverse.reply(reply, stamp)['choices']).toMatchObject([{ finish_reason: 'tool_calls' }]);
    const choices = streamed(completionsToConverse, events).flatMap((chunk) => asObjects(chunk['choices']));
    expect(choices.at(-1)).toMatchObject({ finish_reason: 'tool_calls' });
  });

  test('called, for a client of messages', () => {
    expect(messagesToConverse.reply(reply, stamp)).toMatchObject({ stop_reason: 'tool_use' });
    const deltas = streamed(messagesToConverse, events).flatMap((event) => asObject(event['delta']) ?? []);
    expect(deltas.at(-1)).toMatchObject({ stop_reason: 'tool_use' });
  });

  test('called, in a stream of messages', () => {
    const block = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const chunks = streamed(completionsToMessages, [
      { type: 'message_start', message: { id: 'm' } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ]);
    expect(asObjects(chunks.at(-1)?.['choices'])).toMatchObject([{ finish_reason: 'tool_calls' }]);
  });
});

test('of an answer that was cut off only the last item is not whole', () => {
  const tool_calls = [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x' } }];
  const whole = responsesToCompletions.reply(
    { choices: [{ message: { content: 'Let', tool_calls }, finish_reason: 'length' }] },
    stamp,
  );
  const items = [
    { type: 'message', status: 'completed' },
    { type: 'function_call', status: 'incomplete' },
  ];
  expect(whole).toMatchObject({ status: 'incomplete', output: items });
  const events = streamed(responsesToCompletions, [
    { choices: [{ index: 0, delta: { content: 'Let' } }] },
    { choices: [{ index: 0, delta: { tool_calls }, finish_reason: 'length' }] },
  ]);
  expect(events.at(-1)).toMatchObject({ response: { status: 'incomplete', output: items } });
  const done = events.filter(({ type }) => type === 'response.output_item.done');
  expect(done.map(({ item }) => asObject(item)?.['status'])).toEqual(['completed', 'incomplete']);
});
