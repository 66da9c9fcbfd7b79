import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../backends/json.ts';
import { messagesToCompletions } from '../../../../backends/ai/translate/messages-to-completions.ts';
import { newStamp, UnreadableReply, UnsupportedByFormat } from '../../../../backends/ai/translate/translation.ts';
import { systemClock } from '../../../../base/clock.ts';

const stamp = newStamp(systemClock);
const text = (words: string): Json => ({ type: 'text', text: words });
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const user = { role: 'user', content: 'hi' };

function sent(members: Json): Json {
  return messagesToCompletions.request({ model: 'm', max_tokens: 10, messages: [user], ...members });
}

const CONVERSATIONS: readonly [name: string, request: Json, messages: readonly Json[]][] = [
  ['a system string', { system: 'be kind', messages: [] }, [{ role: 'system', content: 'be kind' }]],
  [
    'system blocks',
    { system: [text('be kind'), text('be brief')], messages: [] },
    [{ role: 'system', content: [text('be kind'), text('be brief')] }],
  ],
  ['a user string', {}, [{ role: 'user', content: [text('hi')] }]],
  [
    'text and pictures in their order',
    {
      messages: [
        {
          role: 'user',
          content: [picture, text('what is it?'), { type: 'image', source: { type: 'url', url: 'http://p/' } }],
        },
      ],
    },
    [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          text('what is it?'),
          { type: 'image_url', image_url: { url: 'http://p/' } },
        ],
      },
    ],
  ],
  [
    'calls of tools, without the thinking before them',
    {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            text('looking'),
            { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
            { type: 'tool_use', id: 'b', name: 'g', input: {} },
          ],
        },
      ],
    },
    [
      {
        role: 'assistant',
        content: [text('looking')],
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
    ],
  ],
  [
    'results of tools before the rest of the turn',
    {
      messages: [
        {
          role: 'user',
          content: [
            text('and now?'),
            { type: 'tool_result', tool_use_id: 'a', content: 'one' },
            { type: 'tool_result', tool_use_id: 'b', content: [text('two'), picture] },
            { type: 'tool_result', tool_use_id: 'c' },
            { type: 'tool_result', tool_use_id: 'd', is_error: true, content: 'no such file' },
            { type: 'tool_result', tool_use_id: 'e', is_error: true, content: [text('no such file')] },
            { type: 'tool_result', tool_use_id: 'f', is_error: true },
          ],
        },
      ],
    },
    [
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: [text('two')] },
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'tool', tool_call_id: 'd', content: 'The tool failed.\nno such file' },
      { role: 'tool', tool_call_id: 'e', content: [text('The tool failed.'), text('no such file')] },
      { role: 'tool', tool_call_id: 'f', content: 'The tool failed.' },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, text('and now?')],
      },
    ],
  ],
  [
    'a system message in the middle',
    { messages: [user, { role: 'system', content: 'be brief' }] },
    [
      { role: 'user', content: [text('hi')] },
      { role: 'system', content: [text('be brief')] },
    ],
  ],
];

test.each(CONVERSATIONS)('messages: %s', (_, request, messages) => {
  expect(sent(request)['messages']).toEqual(messages);
});

const tool = { name: 'f', description: 'does f', input_schema: schema };
const sentTool = { type: 'function', function: { name: 'f', description: 'does f', parameters: schema } };

const MEMBERS: readonly [name: string, request: Json, members: Json][] = [
  ['limits', { max_tokens: 7 }, { max_completion_tokens: 7 }],
  ['stop', { stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
  ['sampling', { temperature: 0.5, top_p: 0.9, top_k: 3 }, { temperature: 0.5, top_p: 0.9 }],
  ['the user', { metadata: { user_id: 'u' } }, { user: 'u' }],
  ['a stream', { stream: true }, { stream: true, stream_options: { include_usage: true } }],
  ['no stream', { stream: false }, { stream: false }],
  ['tools', { tools: [tool, { type: 'web_search_20250305', name: 'web_search' }] }, { tools: [sentTool] }],
  [
    'only tools of the provider',
    { tools: [{ type: 'bash_20250124', name: 'bash' }], tool_choice: { type: 'any' } },
    {},
  ],
  ['choice auto', { tools: [tool], tool_choice: { type: 'auto' } }, { tools: [sentTool], tool_choice: 'auto' }],
  ['choice any', { tools: [tool], tool_choice: { type: 'any' } }, { tools: [sentTool], tool_choice: 'required' }],
  ['choice none', { tools: [tool], tool_choice: { type: 'none' } }, { tools: [sentTool], tool_choice: 'none' }],
  [
    'choice of one tool, one at a time',
    { tools: [tool], tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } },
    { tools: [sentTool], tool_choice: { type: 'function', function: { name: 'f' } }, parallel_tool_calls: false },
  ],
  ['adaptive thinking', { thinking: { type: 'adaptive' } }, { reasoning_effort: 'high' }],
  ['its effort', { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, { reasoning_effort: 'low' }],
  ['a thinking budget', { thinking: { type: 'enabled', budget_tokens: 2000 } }, {}],
  [
    'a schema',
    { output_config: { format: { type: 'json_schema', schema } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'structured_output', schema } } },
  ],
];

test.each(MEMBERS)('request: %s', (_, request, members) => {
  const messages = [{ role: 'user', content: [text('hi')] }];
  expect(sent(request)).toEqual({ model: 'm', messages, max_completion_tokens: 10, ...members });
});

test.each([
  ['gpt-5.6', true],
  ['gpt-6.0-mini', true],
  ['gpt-5.5', false],
  ['other', false],
])('marks for the cache go to %s: %s', (model, kept) => {
  const content = [{ ...text('hi'), cache_control: { type: 'ephemeral' } }];
  const marked = kept ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {};
  expect(sent({ model, messages: [{ role: 'user', content }] })['messages']).toEqual([
    { role: 'user', content: [{ ...text('hi'), ...marked }] },
  ]);
});

test.each([
  ['a document', { role: 'user', content: [{ type: 'document', source: {} }] }],
  ['an unknown role', { role: 'tool', content: 'x' }],
])('%s is refused', (_, message) => {
  expect(() => sent({ messages: [message] })).toThrow(UnsupportedByFormat);
});

test('a thread that goes on is refused, one that begins is not', () => {
  expect(() => sent({ thread: { type: 'continue', previous_message_id: 'msg_1' } })).toThrow(UnsupportedByFormat);
  expect(sent({ thread: { type: 'create' } })).toEqual(sent({}));
});

const completion = (message: Json, finish: unknown, more: Json = {}): Json => ({
  id: 'chatcmpl-1',
  model: 'big',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
  usage: { prompt_tokens: 10, completion_tokens: 3 },
  ...more,
});

const call = (id: unknown, written: string): Json => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: written },
});

describe('reply', () => {
  test('text, then calls', () => {
    const calls = [call('a', '{"x":1}'), call('b', ''), call(undefined, '{"x"')];
    expect(messagesToCompletions.reply(completion({ content: 'hm', tool_calls: calls }, 'tool_calls'), stamp)).toEqual({
      id: 'chatcmpl-1',
      type: 'message',
      role: 'assistant',
      model: 'big',
      content: [
        text('hm'),
        { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
        { type: 'tool_use', id: 'b', name: 'f', input: {} },
        { type: 'tool_use', id: 'tool_call_2', name: 'f', input: '{"x"' },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 3 },
    });
  });

  test.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool_calls', 'tool_use'],
    ['function_call', 'tool_use'],
    ['content_filter', 'refusal'],
    [null, 'end_turn'],
  ])('finish reason %s is stop reason %s', (finish, stop) => {
    expect(messagesToCompletions.reply(completion({ content: 'x' }, finish), stamp)['stop_reason']).toBe(stop);
  });

  test('a refusal is text', () => {
    const reply = messagesToCompletions.reply(completion({ content: null, refusal: 'no' }, 'stop'), stamp);
    expect(reply).toMatchObject({ content: [text('no')], stop_reason: 'refusal' });
  });

  test('the cache is not part of the input', () => {
    const details = { cached_tokens: 4, cache_write_tokens: 1 };
    const usage = { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: details };
    const reply = messagesToCompletions.reply(
      completion({ content: 'x' }, 'stop', { usage, service_tier: 'flex' }),
      stamp,
    );
    expect(reply['usage']).toEqual({
      input_tokens: 5,
      output_tokens: 3,
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 1,
      service_tier: 'flex',
    });
  });

  test('without a choice it is no reply', () => {
    expect(() => messagesToCompletions.reply({ choices: [] }, stamp)).toThrow(UnreadableReply);
  });
});

test.each([
  [429, { error: { message: 'slow down', type: 'tokens' } }, 'rate_limit_error', 'slow down'],
  [401, { error: { message: 'who?' } }, 'authentication_error', 'who?'],
  [403, { error: { message: 'no', code: 403, status: 'PERMISSION_DENIED' } }, 'permission_error', 'no'],
  [429, { error: { message: 'pay', type: 'insufficient_quota' } }, 'billing_error', 'pay'],
  [529, { error: { message: 'busy' } }, 'overloaded_error', 'busy'],
  [503, { error: { message: 'later', type: 'server_error' } }, 'api_error', 'later'],
  [404, { error: 'gone' }, 'not_found_error', 'gone'],
  [400, { message: 'bad' }, 'invalid_request_error', 'bad'],
  [500, {}, 'api_error', 'the provider reported an error'],
])('error %i %j', (status, error, type, message) => {
  expect(messagesToCompletions.error(status, error)).toEqual({ type: 'error', error: { type, message } });
});
