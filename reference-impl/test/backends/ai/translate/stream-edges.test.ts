import { expect, test } from 'vitest';
import { asNumber, asObject, asString, isJson, parseObject } from '../../../../backends/json.ts';
import type { Json } from '../../../../backends/json.ts';
import { textEvent, type StreamEvent } from '../../../../backends/ai/streams/stream-event.ts';
import { completionsToMessages } from '../../../../backends/ai/translate/completions-to-messages.ts';
import { messagesToCompletions } from '../../../../backends/ai/translate/messages-to-completions.ts';
import { messagesToResponses } from '../../../../backends/ai/translate/messages-to-responses.ts';
import type { Translation } from '../../../../backends/ai/translate/translation.ts';

const stamp = { created: 5, id: () => '0123456789abcdef' };

function translated(translation: Translation, data: readonly Json[]): readonly StreamEvent[] {
  const stream = translation.stream(stamp);
  return [...data.flatMap((one) => stream.event(textEvent(JSON.stringify(one)))), ...stream.end()];
}

/** Events of a message in short: what opens, grows, closes and ends. */
function outline(events: readonly StreamEvent[]): readonly string[] {
  return events.map(({ name = '', data = '' }) => {
    const members = parseObject(data) ?? {};
    expect(name).toBe(members['type']);
    const growth = asObject(members['delta']);
    const detail = [
      asObject(members['content_block'])?.['id'],
      ...['text', 'partial_json', 'stop_reason'].map((member) => growth?.[member]),
    ].find((part) => part !== undefined);
    return [name, asNumber(members['index']), asString(detail)].filter((part) => part !== undefined).join(' ');
  });
}

function delta(members: Json, more: Json = {}): Json {
  return { id: 'c', model: 'm', choices: [{ index: 0, delta: members, finish_reason: null }], ...more };
}

function piece(index: number, written: string, id?: string): Json {
  const called = { ...(id === undefined ? {} : { name: 'f' }), arguments: written };
  return delta({ tool_calls: [{ index, ...(id === undefined ? {} : { id }), function: called }] });
}

function finish(reason: string, usage?: Json): Json {
  return { choices: [{ index: 0, delta: {}, finish_reason: reason }], ...(usage === undefined ? {} : { usage }) };
}

const MIXED: readonly [name: string, data: readonly Json[], events: readonly string[]][] = [
  [
    'a block is closed before the next one opens',
    [delta({ content: 'x' }), piece(0, '{}', 'a'), piece(1, '{}', 'b'), finish('tool_calls')],
    [
      'message_start',
      'content_block_start 0',
      'content_block_delta 0 x',
      'content_block_stop 0',
      'content_block_start 1 a',
      'content_block_delta 1 {}',
      'content_block_stop 1',
      'content_block_start 2 b',
      'content_block_delta 2 {}',
      'content_block_stop 2',
      'message_delta tool_use',
      'message_stop',
    ],
  ],
  [
    'a call waits for the one before it to have all its arguments, and keeps its place',
    [
      piece(0, '{"x"', 'a'),
      piece(1, '{"y"', 'b'),
      piece(2, '{}', 'c'),
      piece(0, ':1}'),
      piece(1, ':2}'),
      finish('tool_calls'),
    ],
    [
      'message_start',
      'content_block_start 0 a',
      'content_block_delta 0 {"x"',
      'content_block_delta 0 :1}',
      'content_block_stop 0',
      'content_block_start 1 b',
      'content_block_delta 1 {"y"',
      'content_block_delta 1 :2}',
      'content_block_stop 1',
      'content_block_start 2 c',
      'content_block_delta 2 {}',
      'content_block_stop 2',
      'message_delta tool_use',
      'message_stop',
    ],
  ],
  [
    'what still waits at the end is not lost',
    [piece(0, '{"x"', 'a'), piece(1, '{}', 'b'), finish('length')],
    [
      'message_start',
      'content_block_start 0 a',
      'content_block_delta 0 {"x"',
      'content_block_stop 0',
      'content_block_start 1 b',
      'content_block_delta 1 {}',
      'content_block_stop 1',
      'message_delta max_tokens',
      'message_stop',
    ],
  ],
];

test.each(MIXED)('messages from completions: %s', (_, data, events) => {
  expect(outline(translated(messagesToCompletions, data))).toEqual(events);
});

test('messages from completions: a refusal is text and the reason to stop', () => {
  const events = translated(messagesToCompletions, [delta({ refusal: 'no' }), finish('stop')]);
  expect(outline(events)).toContain('content_block_delta 0 no');
  expect(outline(events)).toContain('message_delta refusal');
});

function counts(tokens: number): Json {
  return { usage: { prompt_tokens: 1, completion_tokens: tokens } };
}

test('messages from completions: counts in every chunk end nothing, and the last of them count', () => {
  const data = [
    delta({ content: 'a' }, counts(1)),
    delta({ content: 'b' }, counts(2)),
    finish('stop'),
    { choices: [], ...counts(3) },
  ];
  const events = translated(messagesToCompletions, data);
  expect(outline(events).filter((line) => line.startsWith('content_block_delta'))).toHaveLength(2);
  expect(parseObject(events.at(-2)?.data ?? '')?.['usage']).toEqual({ input_tokens: 1, output_tokens: 3 });
});

test('messages from responses: a provider that sends no pieces', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '' };
  const events = translated(messagesToResponses, [
    { type: 'response.created', response: { id: 'r', model: 'm' } },
    { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'x' },
    { type: 'response.output_item.added', output_index: 1, item: call },
    { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{}' },
    { type: 'response.completed', response: { status: 'completed', usage: { input_tokens: 1, output_tokens: 2 } } },
  ]);
  expect(outline(events)).toEqual([
    'message_start',
    'content_block_start 0',
    'content_block_delta 0 x',
    'content_block_stop 0',
    'content_block_start 1 a',
    'content_block_delta 1 {}',
    'content_block_stop 1',
    'message_delta tool_use',
    'message_stop',
  ]);
});

test('messages from responses: a response that failed is an error of the client format', () => {
  const failed = { id: 'r', status: 'failed', error: { code: 'server_error', message: 'broken' } };
  const events = translated(messagesToResponses, [{ type: 'response.failed', response: failed }]);
  expect(events.at(-1)).toMatchObject({
    name: 'error',
    data: '{"type":"error","error":{"type":"api_error","message":"broken"}}',
  });
});

test('completions from messages: input that comes with the start of a call', () => {
  const events = translated(completionsToMessages, [
    { type: 'message_start', message: { id: 'm', model: 'big', usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { input_tokens: 0, output_tokens: 7 } },
    { type: 'message_stop' },
  ]);
  const chunks = events.map(({ data = '' }) => parseObject(data)).filter((chunk) => chunk !== undefined);
  const deltas = chunks.flatMap((chunk) => (Array.isArray(chunk['choices']) ? chunk['choices'].filter(isJson) : []));
  expect(deltas.map((choice) => choice['delta'])).toEqual([
    { role: 'assistant', content: '' },
    { reasoning_content: 'hm' },
    { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] },
    { reasoning_signature: 's' },
    {},
  ]);
  expect(chunks.at(-1)).toMatchObject({
    id: 'm',
    model: 'big',
    choices: [{ finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 3, completion_tokens: 7, total_tokens: 10 },
  });
  expect(events.at(-1)?.data).toBe('[DONE]');
});
