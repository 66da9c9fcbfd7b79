import { describe, expect, test } from 'vitest';
import { asObject, asObjects, type Json } from '../../../../backends/json.ts';
import { completionsToMessages } from '../../../../backends/ai/translate/completions-to-messages.ts';
import { newStamp, UnreadableReply, UnsupportedByFormat } from '../../../../backends/ai/translate/translation.ts';
import { systemClock } from '../../../../base/clock.ts';

const stamp = { ...newStamp(systemClock), created: 5 };
const text = (words: string): Json => ({ type: 'text', text: words });
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const user = { role: 'user', content: 'hi' };
const told = { role: 'user', content: [text('hi')] };

function sent(members: Json): Json {
  return completionsToMessages.request({ model: 'm', messages: [user], ...members });
}

test('all text of the operator is the system text', () => {
  const messages = [
    { role: 'system', content: 'one' },
    user,
    { role: 'developer', content: [text('two'), text('three')] },
  ];
  expect(sent({ messages })).toEqual({ model: 'm', system: 'one\ntwo\nthree', messages: [told], max_tokens: 4096 });
});

const CALL = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } };

const CONVERSATIONS: readonly [name: string, messages: readonly Json[], turns: readonly Json[]][] = [
  [
    'text and pictures in their order, blank text left out',
    [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          text('what?'),
          text(' '),
          { type: 'image_url', image_url: { url: 'http://p/' } },
        ],
      },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          text('what?'),
          { type: 'image', source: { type: 'url', url: 'http://p/' } },
        ],
      },
    ],
  ],
  [
    'calls and their results, in order, in one turn with what follows',
    [
      user,
      {
        role: 'assistant',
        content: 'looking',
        tool_calls: [CALL, { ...CALL, id: 'b', function: { name: 'g', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: [text('two')] },
      { role: 'user', content: 'and now?' },
      { role: 'user', content: 'well?' },
    ],
    [
      told,
      {
        role: 'assistant',
        content: [
          text('looking'),
          { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
          { type: 'tool_use', id: 'b', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'one' },
          { type: 'tool_result', tool_use_id: 'b', content: [text('two')] },
          text('and now?'),
        ],
      },
      { role: 'user', content: [text('well?')] },
    ],
  ],
  [
    'a refusal and a function result are text',
    [
      { role: 'assistant', content: null, refusal: 'no' },
      { role: 'function', name: 'f', content: '42' },
    ],
    [
      { role: 'assistant', content: [text('no')] },
      { role: 'user', content: [text('42')] },
    ],
  ],
];

test.each(CONVERSATIONS)('messages: %s', (_, messages, turns) => {
  expect(sent({ messages })['messages']).toEqual(turns);
});

const tool = { type: 'function', function: { name: 'f', description: 'does f', parameters: schema } };
const sentTool = { name: 'f', description: 'does f', input_schema: schema };
const only = { type: 'function', function: { name: 'f' } };

const MEMBERS: readonly [name: string, request: Json, members: Json][] = [
  ['the newer limit', { max_completion_tokens: 7, max_tokens: 9 }, { max_tokens: 7 }],
  ['the older limit', { max_tokens: 9 }, { max_tokens: 9 }],
  ['one stop', { stop: 'a' }, { stop_sequences: ['a'] }],
  ['stops', { stop: ['a', 'b'] }, { stop_sequences: ['a', 'b'] }],
  ['blank stops among others', { stop: ['\n', 'a', ''] }, { stop_sequences: ['a'] }],
  ['nothing but a blank stop', { stop: '\n\n' }, {}],
  ['a temperature that is too high', { temperature: 1.5 }, { temperature: 1 }],
  ['sampling', { temperature: 0.5, top_p: 0.9, top_k: 3, seed: 1 }, { temperature: 0.5, top_p: 0.9 }],
  ['members that are null', { temperature: null, stop: null, n: null, tools: null, user: null }, {}],
  ['the user', { user: 'u' }, { metadata: { user_id: 'u' } }],
  ['a stream', { stream: true, stream_options: { include_usage: true } }, { stream: true }],
  ['a tool', { tools: [tool] }, { tools: [sentTool] }],
  [
    'a tool without parameters',
    { tools: [only] },
    { tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }] },
  ],
  ['choice auto', { tools: [tool], tool_choice: 'auto' }, { tools: [sentTool], tool_choice: { type: 'auto' } }],
  ['choice required', { tools: [tool], tool_choice: 'required' }, { tools: [sentTool], tool_choice: { type: 'any' } }],
  ['choice none', { tools: [tool], tool_choice: 'none' }, { tools: [sentTool], tool_choice: { type: 'none' } }],
  [
    'choice of one',
    { tools: [tool], tool_choice: only },
    { tools: [sentTool], tool_choice: { type: 'tool', name: 'f' } },
  ],
  [
    'one at a time',
    { tools: [tool], parallel_tool_calls: false },
    { tools: [sentTool], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  ],
  ['one at a time without tools', { parallel_tool_calls: false }, {}],
  [
    'a schema',
    { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } },
    { output_config: { format: { type: 'json_schema', schema: { ...schema, additionalProperties: false } } } },
  ],
  [
    'any object',
    { response_format: { type: 'json_object' } },
    { system: 'Answer with one JSON object and nothing else.' },
  ],
  ['text', { response_format: { type: 'text' } }, {}],
];

test.each(MEMBERS)('request: %s', (_, request, members) => {
  expect(sent(request)).toEqual({ model: 'm', messages: [told], max_tokens: 4096, ...members });
});

test.each([
  ['minimal', 4096, 1024],
  ['low', 4096, 1024],
  ['medium', 4096, 2048],
  ['high', 4096, 2048],
  ['high', 9000, 4096],
  ['xhigh', 9000, 4500],
  ['max', 40_000, 16_384],
  ['low', 2048, 1024],
  ['low', 2047, undefined],
  ['none', 4096, undefined],
])('reasoning effort %s of %i tokens thinks with %s', (effort, limit, budget) => {
  const thinking = budget === undefined ? undefined : { type: 'enabled', budget_tokens: budget };
  expect(sent({ reasoning_effort: effort, max_tokens: limit })).toMatchObject({ max_tokens: limit });
  expect(sent({ reasoning_effort: effort, max_tokens: limit })['thinking']).toEqual(thinking);
});

test('without a limit the answer has room beside the thoughts', () => {
  const thinking = { type: 'enabled', budget_tokens: 16_384 };
  expect(sent({ reasoning_effort: 'max' })).toMatchObject({ max_tokens: 20_480, thinking });
});

test.each([
  ['any tool', { tools: [tool], tool_choice: 'required' }, false],
  ['one tool', { tools: [tool], tool_choice: only }, false],
  ['a tool it may leave', { tools: [tool], tool_choice: 'auto' }, true],
  ['none, for want of tools', { tool_choice: 'required' }, true],
])('a model that must call %s thinks: %s', (_, members, thinks) => {
  expect('thinking' in sent({ reasoning_effort: 'low', ...members })).toBe(thinks);
});

test.each([
  ['with', { reasoning_content: 'hm', reasoning_signature: 's' }, true],
  ['without', { reasoning_content: 'hm' }, false],
])('after a call %s proof of the thoughts before it', (_, thoughts, thinks) => {
  const assistant = { role: 'assistant', ...thoughts, tool_calls: [CALL] };
  const messages = [user, assistant, { role: 'tool', tool_call_id: 'a', content: '1' }];
  const request = sent({ reasoning_effort: 'low', messages });
  expect('thinking' in request).toBe(thinks);
  const call = { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } };
  const content = thinks ? [{ type: 'thinking', thinking: 'hm', signature: 's' }, call] : [call];
  expect(request['messages']).toContainEqual({ role: 'assistant', content });
});

test('a model that thinks draws its words its own way', () => {
  const sampling = { temperature: 0.5, top_p: 0.5 };
  expect(sent({ reasoning_effort: 'low', ...sampling })).not.toHaveProperty('temperature');
  expect(sent({ reasoning_effort: 'low', ...sampling })).not.toHaveProperty('top_p');
});

function answering(wanted: Json): Json {
  return { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: wanted } } };
}

function answerSchemaOf(asked: Json): unknown {
  const response_format = { type: 'json_schema', json_schema: { name: 'n', schema: asked } };
  return sent({ response_format })['output_config'];
}

test.each<[Json, Json]>([
  [
    { type: 'integer', minimum: 1, maximum: 9, description: 'how many' },
    { type: 'integer', description: 'how many (minimum: 1) (maximum: 9)' },
  ],
  [
    { type: 'string', format: 'uri' },
    { type: 'string', format: 'uri' },
  ],
  [
    { type: 'string', format: 'iban' },
    { type: 'string', description: '(format: "iban")' },
  ],
  [
    { type: 'string', pattern: '^a+$' },
    { type: 'string', pattern: '^a+$' },
  ],
  [
    { type: 'string', pattern: '^(?=a)' },
    { type: 'string', description: '(pattern: "^(?=a)")' },
  ],
  [
    { type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 1 },
    { type: 'array', items: { type: 'string', description: '(maxLength: 3)' }, minItems: 1 },
  ],
  [
    { type: 'array', minItems: 2 },
    { type: 'array', description: '(minItems: 2)' },
  ],
  [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  [
    { $schema: 's', properties: { minimum: { type: 'string' } } },
    { properties: { minimum: { type: 'string' } }, additionalProperties: false },
  ],
  [
    { type: ['object', 'null'], additionalProperties: true },
    { type: ['object', 'null'], additionalProperties: false },
  ],
  [
    { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } },
    { $ref: '#/$defs/a', $defs: { a: { type: 'object', additionalProperties: false } } },
  ],
  // The same part in two places is no part of itself.
  [
    { properties: { a: { $ref: '#/$defs/n' }, b: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'number' } } },
    {
      properties: { a: { $ref: '#/$defs/n' }, b: { $ref: '#/$defs/n' } },
      $defs: { n: { type: 'number' } },
      additionalProperties: false,
    },
  ],
])('the schema %j of an answer is %j', (asked, fit) => {
  expect(answerSchemaOf(asked)).toEqual({ format: { type: 'json_schema', schema: fit } });
});

test.each([
  ['several choices', { n: 2 }],
  ['a schema that is its own part', answering({ type: 'object', properties: { a: { $ref: '#' } } })],
  [
    'a schema of which a part contains itself',
    answering({ $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } }),
  ],
  [
    'schemas that contain each other',
    answering({
      anyOf: [{ $ref: '#/$defs/a' }],
      $defs: { a: { items: { $ref: '#/$defs/b' } }, b: { anyOf: [{ $ref: '#/$defs/a' }] } },
    }),
  ],
  ['functions', { functions: [{ name: 'f' }] }],
  ['audio', { audio: { voice: 'x' } }],
  ['a tool that is no function', { tools: [{ type: 'custom', custom: { name: 'c' } }] }],
  ['a choice among some tools', { tools: [tool], tool_choice: { type: 'allowed_tools' } }],
  ['only system text', { messages: [{ role: 'system', content: 'x' }] }],
  ['an unknown role', { messages: [{ role: 'critic', content: 'x' }] }],
])('%s: refused', (_, members) => {
  expect(() => sent(members)).toThrow(UnsupportedByFormat);
});

const message = (content: unknown, more: Json = {}): Json => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'big',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 3 },
  ...more,
});

const finish = (reply: Json): unknown => completionsToMessages.reply(reply, stamp)['choices'];

describe('reply', () => {
  test('text is joined, thinking stands beside it', () => {
    const content = [{ type: 'thinking', thinking: 'hm' }, text('a'), text('b')];
    expect(completionsToMessages.reply(message(content), stamp)).toEqual({
      id: 'msg_1',
      object: 'chat.completion',
      created: 5,
      model: 'big',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'ab', refusal: null, reasoning_content: 'hm' },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
    });
  });

  test.each<[string, readonly Json[], string | undefined]>([
    ['one thought', [{ type: 'thinking', thinking: 'hm', signature: 's' }], 's'],
    ['a thought without one', [{ type: 'thinking', thinking: 'hm', signature: '' }], undefined],
    ['several', [1, 2].map((one) => ({ type: 'thinking', thinking: 'hm', signature: `s${one}` })), undefined],
    [
      'some that is hidden',
      [{ type: 'thinking', thinking: 'hm', signature: 's' }, { type: 'redacted_thinking' }],
      undefined,
    ],
  ])('the proof of %s', (_, thoughts, reasoning_signature) => {
    const choices = finish(message([...thoughts, text('a')]));
    const said = asObject(asObjects(choices)[0]?.['message']);
    expect(said?.['reasoning_signature']).toBe(reasoning_signature);
  });

  test('calls, also of the tools of the provider', () => {
    const content = [
      { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
      { type: 'server_tool_use', id: 'b', name: 'g', input: {} },
    ];
    expect(finish(message(content, { stop_reason: 'tool_use' }))).toMatchObject([
      {
        message: {
          content: null,
          tool_calls: [CALL, { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ]);
  });

  test.each([
    ['tool_use', 'end_turn', 'tool_calls'],
    ['tool_use', 'max_tokens', 'length'],
    ['server_tool_use', 'end_turn', 'stop'],
  ])('after a block of %s, %s is %s', (type, stop_reason, finish_reason) => {
    const content = [{ type, id: 'a', name: 'f', input: {} }];
    expect(finish(message(content, { stop_reason }))).toMatchObject([{ finish_reason }]);
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
  ])('stop reason %s is finish reason %s', (stop, reason) => {
    expect(finish(message([text('x')], { stop_reason: stop }))).toMatchObject([{ finish_reason: reason }]);
  });

  test('the cache is part of the prompt, and told apart', () => {
    const usage = { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 1 };
    expect(completionsToMessages.reply(message([], { usage }), stamp)['usage']).toEqual({
      prompt_tokens: 10,
      completion_tokens: 3,
      total_tokens: 13,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 1,
    });
  });

  test('without content it is no reply', () => {
    expect(() => completionsToMessages.reply({ id: 'x' }, stamp)).toThrow(UnreadableReply);
  });
});

test.each([
  [529, 'overloaded_error', 'server_error'],
  [413, 'request_too_large', 'invalid_request_error'],
  [402, 'billing_error', 'insufficient_quota'],
  [429, 'rate_limit_error', 'rate_limit_error'],
  [404, 'something_new', 'not_found_error'],
])('an error %i %s is %s for a client of completions', (status, type, own) => {
  const error = { type: 'error', error: { type, message: 'busy' } };
  const answer = { error: { message: 'busy', type: own, param: null, code: null } };
  expect(completionsToMessages.error(status, error)).toEqual(answer);
});
