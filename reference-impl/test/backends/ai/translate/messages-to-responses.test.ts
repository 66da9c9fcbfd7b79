import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../backends/json.ts';
import { messagesToResponses } from '../../../../backends/ai/translate/messages-to-responses.ts';
import { UnreadableReply, UnsupportedByFormat } from '../../../../backends/ai/translate/translation.ts';

const stamp = { created: 5, id: () => '0123456789abcdef' };
const text = (words: string): Json => ({ type: 'text', text: words });
const read = (words: string): Json => ({ type: 'input_text', text: words });
const written = (words: string): Json => ({ type: 'output_text', text: words, annotations: [] });
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const user = { role: 'user', content: 'hi' };
const told = { type: 'message', role: 'user', content: [read('hi')] };
const marked = { ...text('be kind'), cache_control: { type: 'ephemeral' } };

function sent(members: Json): Json {
  return messagesToResponses.request({ model: 'm', max_tokens: 20, messages: [user], ...members });
}

const tool = { name: 'f', description: 'does f', input_schema: schema };
const sentTool = { type: 'function', name: 'f', description: 'does f', parameters: schema, strict: false };

const MEMBERS: readonly [name: string, request: Json, members: Json][] = [
  ['system text', { system: 'be kind' }, { instructions: 'be kind' }],
  ['system blocks', { system: [text('a'), text('b')] }, { instructions: 'a\nb' }],
  [
    'system blocks that are marked for the cache',
    { system: [marked] },
    { input: [{ type: 'message', role: 'system', content: [read('be kind')] }, told] },
  ],
  ['a limit that is too small there', { max_tokens: 1 }, { max_output_tokens: 16 }],
  ['the smallest limit there', { max_tokens: 16 }, { max_output_tokens: 16 }],
  ['a thread that begins', { thread: { type: 'create' } }, {}],
  ['what has no counterpart', { stop_sequences: ['x'], top_k: 3 }, {}],
  ['sampling', { temperature: 0.5, top_p: 0.9, stream: true }, { temperature: 0.5, top_p: 0.9, stream: true }],
  ['metadata', { metadata: { user_id: 'u' } }, { metadata: { user_id: 'u' } }],
  ['tools', { tools: [tool], tool_choice: { type: 'any' } }, { tools: [sentTool], tool_choice: 'required' }],
  [
    'choice of one, one at a time',
    { tools: [tool], tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } },
    { tools: [sentTool], tool_choice: { type: 'function', name: 'f' }, parallel_tool_calls: false },
  ],
  ['thinking', { thinking: { type: 'enabled', budget_tokens: 2000 } }, { reasoning: { effort: 'high' } }],
  [
    'its effort',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    { reasoning: { effort: 'low' } },
  ],
  [
    'a schema',
    { output_config: { format: { type: 'json_schema', schema } } },
    { text: { format: { type: 'json_schema', name: 'structured_output', schema } } },
  ],
];

test.each(MEMBERS)('request: %s', (_, request, members) => {
  expect(sent(request)).toEqual({ model: 'm', input: [told], max_output_tokens: 20, ...members });
});

test('items keep the order of the blocks', () => {
  const messages = [
    {
      role: 'assistant',
      content: [text('looking'), { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }, text('so')],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'one', is_error: true },
        { type: 'tool_result', tool_use_id: 'b', content: [text('two')] },
        text('and now?'),
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      ],
    },
  ];
  expect(sent({ messages })['input']).toEqual([
    { type: 'message', role: 'assistant', content: [written('looking')] },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}' },
    { type: 'message', role: 'assistant', content: [written('so')] },
    { type: 'function_call_output', call_id: 'a', output: 'one', status: 'incomplete' },
    { type: 'function_call_output', call_id: 'b', output: [read('two')], status: 'completed' },
    {
      type: 'message',
      role: 'user',
      content: [read('and now?'), { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' }],
    },
  ]);
});

test.each([
  ['thinking that was', { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'x' }] }] }],
  ['a document', { messages: [{ role: 'user', content: [{ type: 'document', source: {} }] }] }],
  ['a thread that goes on', { thread: { type: 'continue', previous_message_id: 'msg_1' } }],
  ['effort without thinking', { output_config: { effort: 'low' } }],
])('%s: refused', (_, members) => {
  expect(() => sent(members)).toThrow(UnsupportedByFormat);
});

const response = (output: readonly Json[], more: Json = {}): Json => ({
  id: 'resp_1',
  model: 'big',
  status: 'completed',
  output,
  usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3 },
  ...more,
});

describe('reply', () => {
  const said = { type: 'message', role: 'assistant', content: [written('hm')] };

  test('text and calls, without the reasoning', () => {
    const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}' };
    expect(messagesToResponses.reply(response([{ type: 'reasoning', summary: [] }, said, call]), stamp)).toEqual({
      id: 'resp_1',
      type: 'message',
      role: 'assistant',
      model: 'big',
      content: [text('hm'), { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 6, output_tokens: 3, cache_read_input_tokens: 4 },
    });
  });

  test.each([
    [response([said]), 'end_turn'],
    [response([said], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }), 'max_tokens'],
    [response([said], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }), 'refusal'],
    [response([{ type: 'message', content: [{ type: 'refusal', refusal: 'no' }] }]), 'refusal'],
  ])('stop reason %#', (reply, stop) => {
    expect(messagesToResponses.reply(reply, stamp)['stop_reason']).toBe(stop);
  });

  test.each([[{}], [response([], { status: 'failed', error: { code: 'server_error', message: 'x' } })]])(
    '%j is no reply',
    (reply) => {
      expect(() => messagesToResponses.reply(reply, stamp)).toThrow(UnreadableReply);
    },
  );
});
