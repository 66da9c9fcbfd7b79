import { describe, expect, test } from 'vitest';
import { asList, asObject, parseObject, type Json } from '../../../../backends/json.ts';
import { textEvent } from '../../../../backends/ai/streams/stream-event.ts';
import { completionsToConverse } from '../../../../backends/ai/translate/completions-to-converse.ts';
import { withCachePoints } from '../../../../backends/ai/formats/converse/prompt-caching.ts';
import { toolNames } from '../../../../backends/ai/translate/converse/tool-names.ts';
import { embeddingsToInvoke } from '../../../../backends/ai/translate/embeddings-to-invoke.ts';
import { messagesToConverse } from '../../../../backends/ai/translate/messages-to-converse.ts';
import { responsesToConverse } from '../../../../backends/ai/translate/responses-to-converse.ts';
import {
  UnreadableReply,
  UnsupportedByFormat,
  type Translation,
} from '../../../../backends/ai/translate/translation.ts';

const stamp = { created: 5, id: () => '0123456789abcdef' };
const POINT = { cachePoint: { type: 'default' } };
const user = { role: 'user', content: 'hi' };

describe('completions for converse', () => {
  test('what has no counterpart is refused', () => {
    const url = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    for (const members of [
      { messages: [{ role: 'user', content: [url] }] },
      { messages: [{ role: 'system', content: 'only' }] },
      { messages: [{ role: 'judge', content: 'x' }] },
      { n: 2 },
      { functions: [{ name: 'f' }] },
      { audio: {} },
      { tools: [{ type: 'custom', custom: { name: 'f' } }] },
      { tool_choice: { type: 'allowed_tools' }, tools: [{ type: 'function', function: { name: 'f' } }] },
    ])
      expect(() => ofCompletions(members)).toThrow(UnsupportedByFormat);
  });

  test('a history of tools without tools gets one that is not to be called; none forbids them all', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: 'nonsense' } };
    const messages = [
      user,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: '' },
    ];
    const tools = [{ type: 'function', function: { name: 'f', description: '' } }];
    const dummy = {
      tools: [{ toolSpec: { name: 'proxy_dummy_do_not_call', inputSchema: { json: { type: 'object' } } } }],
    };
    expect(ofCompletions({ messages })['toolConfig']).toEqual(dummy);
    expect(ofCompletions({ messages, tools, tool_choice: 'none' })['toolConfig']).toEqual(dummy);
    expect(ofCompletions({ tools, tool_choice: 'none' })['toolConfig']).toBeUndefined();
    expect(ofCompletions({ messages })['messages']).toEqual([
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'f', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [] } }] },
    ]);
    expect(ofCompletions({ tools, tool_choice: 'required' })['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } }],
      toolChoice: { any: {} },
    });
  });

  test('thoughts go back only with their proof', () => {
    const said = { role: 'assistant', content: 'yes', reasoning_content: 'hm' };
    expect(parts(said)).toEqual({ role: 'assistant', content: [{ text: 'yes' }] });
    expect(parts({ ...said, reasoning_signature: 's' })).toEqual({
      role: 'assistant',
      content: [{ reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } }, { text: 'yes' }],
    });
  });

  test('the effort is a budget, and a schema is text', () => {
    const schema = { type: 'object' };
    expect(ofCompletions({ reasoning_effort: 'medium' })['additionalModelRequestFields']).toEqual({
      thinking: { type: 'enabled', budget_tokens: 2048 },
    });
    expect(ofCompletions({ reasoning_effort: 'none' })['additionalModelRequestFields']).toBeUndefined();
    expect(ofCompletions({ reasoning_effort: 'medium', temperature: 0.5, top_p: 0.5 })['inferenceConfig']).toEqual({
      maxTokens: 6144,
    });
    const format = { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema } };
    expect(ofCompletions({ response_format: format })['outputConfig']).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: {
          jsonSchema: { schema: '{"type":"object","additionalProperties":false}', name: 'n', description: 'd' },
        },
      },
    });
    expect(ofCompletions({ response_format: { type: 'text' } })['outputConfig']).toBeUndefined();
    expect(ofCompletions({})['inferenceConfig']).toBeUndefined();
  });

  test('what the provider would refuse is not sent: blank stops, a high temperature, an open schema for any object', () => {
    expect(ofCompletions({ stop: ['\n', 'a'], temperature: 1.5 })['inferenceConfig']).toEqual({
      temperature: 1,
      stopSequences: ['a'],
    });
    expect(ofCompletions({ stop: ' ' })['inferenceConfig']).toBeUndefined();
    const any = ofCompletions({
      messages: [{ role: 'system', content: 'Be brief' }, user],
      response_format: { type: 'json_object' },
    });
    expect(any['outputConfig']).toBeUndefined();
    expect(any['system']).toEqual([{ text: 'Be brief' }, { text: 'Answer with one JSON object and nothing else.' }]);
    const endless = { type: 'object', properties: { a: { $ref: '#' } } };
    const format = { type: 'json_schema', json_schema: { name: 'n', schema: endless } };
    expect(() => ofCompletions({ response_format: format })).toThrow('contains itself');
  });

  test.each([
    [408, 'api_error', 'timeout_error'],
    [424, 'api_error', 'api_error'],
    [400, 'invalid_request_error', 'invalid_request_error'],
    [429, 'rate_limit_error', 'rate_limit_error'],
  ])('an error with %i is %s to clients of completions, %s to those of messages', (status, completions, messages) => {
    const error = { message: 'the model' };
    expect(completionsToConverse.error(status, error)).toMatchObject({
      error: { message: 'the model', type: completions },
    });
    expect(messagesToConverse.error(status, error)).toMatchObject({ error: { message: 'the model', type: messages } });
  });

  test('documents have plain names, each its own, also those in results of tools', () => {
    const long = 'x'.repeat(300);
    const content = ['a_b.pdf', 'a.b.pdf', undefined, ' ', long, long].map(documentOf);
    const result = { type: 'tool_result', tool_use_id: 'c', content: [documentOf('a b')] };
    expect(
      documentNames([
        { role: 'user', content },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
        { role: 'user', content: [result, documentOf('a  b')] },
      ]),
    ).toEqual([
      'a-b-pdf',
      'a-b-pdf (2)',
      'document',
      'document (2)',
      'x'.repeat(200),
      `${'x'.repeat(196)} (2)`,
      'a b',
      'a b (2)',
    ]);
  });

  test('the usage is told apart from the cache, in a stream too', () => {
    const usage = {
      inputTokens: 3,
      outputTokens: 4,
      totalTokens: 10,
      cacheReadInputTokens: 1,
      cacheWriteInputTokens: 2,
    };
    const reply = completionsToConverse.reply({ output: { message: { content: [] } }, usage }, stamp);
    expect(reply['usage']).toMatchObject({
      prompt_tokens: 6,
      prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 2 },
    });
    const events = [{ messageStart: {} }, { messageStop: { stopReason: 'end_turn' } }, { metadata: { usage } }];
    expect(streamed(completionsToConverse, events).at(-2)).toMatchObject({ choices: [], usage: { total_tokens: 10 } });
  });

  test('a reply without a message is none', () => {
    expect(() => completionsToConverse.reply({ output: {} }, stamp)).toThrow(UnreadableReply);
  });
});

describe('messages for converse', () => {
  test('cache marks are cache points, at most four, those of the system text before those of messages and of tools', () => {
    const marked = { cache_control: { type: 'ephemeral' } };
    const text = (value: string): Json => ({ type: 'text', text: value, ...marked });
    const request = ofMessages({
      system: [text('a'), text('b')],
      messages: [{ role: 'user', content: [text('c'), { type: 'text', text: 'd' }] }],
      tools: [
        { name: 'f', input_schema: { type: 'object' }, ...marked },
        { name: 'g', input_schema: { type: 'object' }, ...marked },
      ],
    });
    expect(request['system']).toEqual([{ text: 'a' }, POINT, { text: 'b' }, POINT]);
    expect(request['messages']).toEqual([{ role: 'user', content: [{ text: 'c' }, POINT, { text: 'd' }] }]);
    expect(asList(asObject(request['toolConfig'])?.['tools']).map((tool) => Object.keys(asObject(tool) ?? {}))).toEqual(
      [['toolSpec'], ['cachePoint'], ['toolSpec']],
    );
  });

  test('system text in the middle moves to the system, and thinking keeps the draw of words to itself', () => {
    const request = ofMessages({
      messages: [user, { role: 'system', content: 'Be brief' }, { role: 'user', content: 'now' }],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      temperature: 0.5,
      top_p: 0.5,
      top_k: 3,
      metadata: { user_id: 'u' },
      output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } },
    });
    expect(request['system']).toEqual([{ text: 'Be brief' }]);
    expect(request['messages']).toEqual([{ role: 'user', content: [{ text: 'hi' }, { text: 'now' }] }]);
    expect(request['inferenceConfig']).toEqual({ maxTokens: 9 });
    expect(request['additionalModelRequestFields']).toEqual({
      thinking: { type: 'enabled', budget_tokens: 1024 },
      output_config: { effort: 'low' },
      metadata: { user_id: 'u' },
    });
    expect(request['outputConfig']).toBeDefined();
    expect(ofMessages({ top_k: 3 })['additionalModelRequestFields']).toEqual({ top_k: 3 });
  });

  test('thoughts, documents and failed tools keep what they say', () => {
    const content = [
      { type: 'document', title: 'My  file?', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hi' } },
    ];
    const thought = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'redacted_thinking', data: 'eA==' },
      { type: 'tool_use', id: 'c', name: 'f', input: {} },
    ];
    const failed = [{ type: 'tool_result', tool_use_id: 'c', is_error: true, content: [{ type: 'text', text: 'no' }] }];
    const { messages } = ofMessages({
      messages: [
        { role: 'user', content },
        { role: 'assistant', content: thought },
        { role: 'user', content: failed },
      ],
    });
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { document: { format: 'pdf', name: 'My file-', source: { bytes: 'aGk=' } } },
          { document: { format: 'txt', name: 'document', source: { bytes: 'aGk=' } } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
          { reasoningContent: { redactedContent: 'eA==' } },
          { toolUse: { toolUseId: 'c', name: 'f', input: {} } },
        ],
      },
      { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [{ text: 'no' }], status: 'error' } }] },
    ]);
    const elsewhere = { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } };
    for (const block of [elsewhere, { type: 'constructor' }, { type: 'image', source: { type: 'file', file_id: 'f' } }])
      expect(() => ofMessages({ messages: [{ role: 'user', content: [block] }] })).toThrow(UnsupportedByFormat);
  });

  test('blocks of a stream follow each other, whatever they are', () => {
    const events = streamed(messagesToConverse, [
      { messageStart: { role: 'assistant' } },
      delta(0, { reasoningContent: { text: 'hm' } }),
      delta(0, { reasoningContent: { signature: 's' } }),
      { contentBlockStop: { contentBlockIndex: 0 } },
      delta(1, { reasoningContent: { redactedContent: 'eA==' } }),
      delta(2, { text: 'yes' }),
      { contentBlockStart: { contentBlockIndex: 3, start: { toolUse: { toolUseId: 'c', name: 'f' } } } },
      delta(3, { toolUse: { input: '{}' } }),
      { messageStop: { stopReason: 'tool_use' } },
    ]);
    expect(events.map((event) => event['type'])).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.filter(({ type }) => type === 'content_block_start').map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });
});

test('responses go by way of completions, with a limit of their own', () => {
  expect(responsesToConverse.request({ model: 'm', input: 'hi' })).toMatchObject({
    inferenceConfig: { maxTokens: 4096 },
    messages: [{ role: 'user', content: [{ text: 'hi' }] }],
  });
  expect(responsesToConverse.error(429, { message: 'slow' })).toMatchObject({
    error: { message: 'slow', type: 'rate_limit_error' },
  });
});

describe('names of tools', () => {
  test('are cleaned, cut, kept apart and restored', () => {
    const long = 'x'.repeat(65);
    const names = ['a.b', 'a_b', 'a b', long, `${long}y`, 'fine'];
    const { sent, restored } = toolNames(names);
    expect(new Set(names.map(sent)).size).toBe(names.length);
    for (const name of names) {
      expect(sent(name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(restored(sent(name))).toBe(name);
    }
    expect(sent('a_b')).toBe('a_b');
    expect(restored('unknown')).toBe('unknown');
  });
});

describe('prompt caching', () => {
  const request = completionsToConverse.request({
    model: 'm',
    messages: [{ role: 'system', content: 'Be brief' }, user],
  });
  const policy = { minTokens: 0 };

  test.each([
    ['anthropic.claude-3-5-sonnet-20241022-v2:0', true],
    ['us.anthropic.claude-sonnet-4', true],
    ['amazon.nova-lite-v1:0', true],
    ['arn:aws:bedrock:us-east-1:1:application-inference-profile/x', true],
    ['anthropic.claude-instant-v1', false],
    ['anthropic.claude-v2:1', false],
    ['meta.llama3-70b', false],
  ])('%s has a cache: %s', (model, has) => {
    expect(withCachePoints(request, model, policy) !== request).toBe(has);
  });

  test('an offset beyond the first message ends at the first; a single message gets no point', () => {
    const turns = {
      messages: [{ content: [{ text: 'a' }] }, { content: [{ text: 'b' }] }, { content: [{ text: 'c' }] }],
    };
    const far = withCachePoints(turns, 'amazon.nova', { ...policy, cacheMessageOffset: 9 });
    expect(asList(far['messages']).map((turn) => asList(asObject(turn)?.['content']).length)).toEqual([2, 1, 1]);
    const single = { messages: [{ content: [{ text: 'a' }] }] };
    expect(withCachePoints(single, 'amazon.nova', policy)).toEqual(single);
  });

  test('no more than four points, those of the client included, and never two in a row', () => {
    const own = [{ text: 'a' }, POINT, { text: 'b' }, POINT, { text: 'c' }, POINT];
    const turns = {
      system: own,
      messages: [{ content: [{ text: 'd' }] }, { content: [{ text: 'e' }] }],
      toolConfig: { tools: [{}] },
    };
    const marked = withCachePoints(turns, 'amazon.nova', { ...policy, cacheTools: true });
    expect(JSON.stringify(marked).match(/cachePoint/g)).toHaveLength(4);
    expect(marked['system']).toEqual(own);
  });
});

describe('embeddings', () => {
  test('what the model cannot be asked is refused', () => {
    for (const [model, input] of [
      ['amazon.titan-embed-text-v2:0', ['a']],
      ['amazon.nova-2-embed', ['a']],
      ['cohere.embed-v4', [1, 2]],
      ['anthropic.claude', 'a'],
    ])
      expect(() => embeddingsToInvoke.request({ model, input })).toThrow(UnsupportedByFormat);
  });

  test('each reply has its vectors where its family has them, as floats or as their bytes', () => {
    expect(vectors({ embedding: [1, 2] })).toEqual([[1, 2]]);
    expect(vectors({ embeddings: [[1], [2]] })).toEqual([[1], [2]]);
    expect(vectors({ embeddings: { float: [[1], [2]] } })).toEqual([[1], [2]]);
    expect(vectors({ embeddings: [{ embeddingType: 'TEXT', embedding: [1] }] })).toEqual([[1]]);
    expect(vectors({ embedding: [1] }, { encoding_format: 'base64' })).toEqual(['AACAPw==']);
    expect(() => vectors({})).toThrow(UnreadableReply);
  });
});

/** The data of all events that a stream of these events of the provider becomes. */
function streamed(translation: Translation, events: readonly Json[], request: Json = {}): readonly Json[] {
  const stream = translation.stream({ ...stamp, request });
  const all = [...events.flatMap((event) => stream.event(textEvent(JSON.stringify(event)))), ...stream.end()];
  return all.map(({ data = '' }) => parseObject(data) ?? {});
}

function ofCompletions(members: Json): Json {
  return completionsToConverse.request({ model: 'm', messages: [user], ...members });
}

function ofMessages(members: Json): Json {
  return messagesToConverse.request({ model: 'm', max_tokens: 9, messages: [user], ...members });
}

/** The second message of a conversation with that message of the model. */
function parts(message: Json): unknown {
  return asList(ofCompletions({ messages: [user, message, user] })['messages'])[1];
}

function delta(contentBlockIndex: number, content: Json): Json {
  return { contentBlockDelta: { contentBlockIndex, delta: content } };
}

function vectors(reply: Json, request: Json = {}): unknown {
  const { data } = embeddingsToInvoke.reply(reply, { ...stamp, request });
  return asList(data).map((one) => asObject(one)?.['embedding']);
}

function documentOf(title?: string): Json {
  return { type: 'document', title, source: { type: 'text', media_type: 'text/plain', data: 'hi' } };
}

function documentNames(messages: readonly Json[]): readonly unknown[] {
  const found: unknown[] = [];
  JSON.stringify(ofMessages({ messages }), (key, value: unknown) => {
    if (key === 'document') found.push(asObject(value)?.['name']);
    return value;
  });
  return found;
}
