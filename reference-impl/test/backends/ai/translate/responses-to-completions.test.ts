import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../backends/json.ts';
import { responsesToCompletions } from '../../../../backends/ai/translate/responses-to-completions.ts';
import { UnreadableReply, UnsupportedByFormat } from '../../../../backends/ai/translate/translation.ts';

const stamp = { created: 5, id: () => '0123456789abcdef' };
const text = (words: string): Json => ({ type: 'text', text: words });
const read = (words: string): Json => ({ type: 'input_text', text: words });
const schema = { type: 'object', properties: { city: { type: 'string' } } };

function sent(members: Json): Json {
  return responsesToCompletions.request({ model: 'm', input: 'hi', ...members });
}

const call = (id: string): Json => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name: 'f', arguments: '{}' });
const sentCall = (id: string): Json => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });

const CONVERSATIONS: readonly [name: string, request: Json, messages: readonly Json[]][] = [
  ['a string', {}, [{ role: 'user', content: [text('hi')] }]],
  [
    'instructions',
    { instructions: 'be kind' },
    [
      { role: 'developer', content: 'be kind' },
      { role: 'user', content: [text('hi')] },
    ],
  ],
  [
    'system items with and without a type',
    {
      input: [
        { role: 'system', content: 'one' },
        { type: 'message', role: 'system', content: [read('two')] },
      ],
    },
    [
      { role: 'developer', content: 'one' },
      { role: 'system', content: [text('two')] },
    ],
  ],
  [
    'text and pictures',
    {
      input: [
        {
          role: 'user',
          content: [{ type: 'input_image', image_url: 'http://p/', detail: 'low' }, read('x')],
        },
      ],
    },
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://p/', detail: 'low' } }, text('x')] }],
  ],
  [
    'what the model said and called is one message, its results follow',
    {
      input: [
        { type: 'reasoning', summary: [] },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'a' },
            { type: 'refusal', refusal: 'b' },
          ],
        },
        call('1'),
        call('2'),
        { type: 'function_call_output', call_id: '1', output: 'one' },
        { type: 'function_call_output', call_id: '2', output: [read('two')] },
        { type: 'custom_tool_call', id: 'x', call_id: '3', name: 'f', input: '{}' },
      ],
    },
    [
      { role: 'assistant', content: 'a\nb', tool_calls: [sentCall('1'), sentCall('2')] },
      { role: 'tool', tool_call_id: '1', content: 'one' },
      { role: 'tool', tool_call_id: '2', content: [text('two')] },
      { role: 'assistant', tool_calls: [sentCall('3')] },
    ],
  ],
];

test.each(CONVERSATIONS)('messages: %s', (_, request, messages) => {
  expect(sent(request)['messages']).toEqual(messages);
});

const tool = { type: 'function', name: 'f', description: 'does f', parameters: schema, strict: true };
const sentTool = { type: 'function', function: { name: 'f', description: 'does f', parameters: schema, strict: true } };

const MEMBERS: readonly [name: string, request: Json, members: Json][] = [
  ['the limit', { max_output_tokens: 7 }, { max_completion_tokens: 7 }],
  ['sampling', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
  ['members that are null', { temperature: null, previous_response_id: null, max_output_tokens: null }, {}],
  ['the tier', { service_tier: 'flex' }, { service_tier: 'flex' }],
  ['effort', { reasoning: { effort: 'low' } }, { reasoning_effort: 'low' }],
  ['no effort', { reasoning: { effort: 'none' } }, {}],
  ['a stream', { stream: true }, { stream: true, stream_options: { include_usage: true } }],
  ['tools', { tools: [tool, { type: 'web_search' }] }, { tools: [sentTool] }],
  [
    'a tool that leaves out what it may',
    { tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }] },
    { tools: [{ type: 'function', function: { name: 'f' } }] },
  ],
  ['only tools of the provider', { tools: [{ type: 'web_search' }], tool_choice: 'required' }, {}],
  ['choice required', { tools: [tool], tool_choice: 'required' }, { tools: [sentTool], tool_choice: 'required' }],
  [
    'choice of one, one at a time',
    { tools: [tool], tool_choice: { type: 'function', name: 'f' }, parallel_tool_calls: false },
    { tools: [sentTool], tool_choice: { type: 'function', function: { name: 'f' } }, parallel_tool_calls: false },
  ],
  ['a choice that has no counterpart', { tools: [tool], tool_choice: { type: 'mcp' } }, { tools: [sentTool] }],
  [
    'a schema',
    { text: { format: { type: 'json_schema', name: 'n', schema, strict: true } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } } },
  ],
  ['any object', { text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
];

test.each(MEMBERS)('request: %s', (_, request, members) => {
  expect(sent(request)).toEqual({ model: 'm', messages: [{ role: 'user', content: [text('hi')] }], ...members });
});

test.each([
  ['a conversation that the provider keeps', { previous_response_id: 'resp_1' }],
  ['a reference to an item', { input: [{ type: 'item_reference', id: 'x' }] }],
  ['work in the background', { background: true }],
])('%s: refused', (_, members) => {
  expect(() => sent(members)).toThrow(UnsupportedByFormat);
});

const completion = (message: Json, finish: unknown, usage: Json): Json => ({
  id: 'chatcmpl-1',
  model: 'big',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
  usage,
});

describe('reply', () => {
  const plain = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };

  test('text and calls', () => {
    const reply = completion({ content: 'hm', tool_calls: [sentCall('1')] }, 'tool_calls', plain);
    const part = { type: 'output_text', text: 'hm', annotations: [] };
    expect(responsesToCompletions.reply(reply, stamp)).toEqual({
      id: 'resp_0123456789abcdef',
      object: 'response',
      created_at: 5,
      model: 'big',
      status: 'completed',
      error: null,
      incomplete_details: null,
      output: [
        { type: 'message', id: 'msg_0123456789abcdef', status: 'completed', role: 'assistant', content: [part] },
        {
          type: 'function_call',
          id: 'call_0123456789abcdef',
          status: 'completed',
          call_id: '1',
          name: 'f',
          arguments: '{}',
        },
      ],
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 13,
      },
    });
  });

  test.each([
    ['stop', { status: 'completed' }],
    ['tool_calls', { status: 'completed' }],
    ['length', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['content_filter', { status: 'failed', error: { code: 'content_filter', message: 'Content filtered' } }],
  ])('finish reason %s', (finish, ending) => {
    expect(responsesToCompletions.reply(completion({ content: 'x' }, finish, plain), stamp)).toMatchObject(ending);
  });

  test('output that is counted only in the total', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 17 };
    const reply = responsesToCompletions.reply(completion({ content: 'x' }, 'stop', usage), stamp);
    expect(reply['usage']).toMatchObject({ output_tokens: 7 });
  });

  test('without a choice it is no reply', () => {
    expect(() => responsesToCompletions.reply({}, stamp)).toThrow(UnreadableReply);
  });
});
