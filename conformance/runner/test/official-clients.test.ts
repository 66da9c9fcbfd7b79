import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLlmProxy, type LlmProxy, type Provider } from './support/llm-proxy.ts';

// Every official client can use every provider that the matrix of formats lets it reach.

const CALL = { id: 'c1', name: 'weather', arguments: { city: 'Oslo' } };
const NAMES: readonly Provider[] = ['vendor1', 'vendor4', 'custom'];

let proxy: LlmProxy;

beforeAll(async () => {
  proxy = await startLlmProxy({ reply: { text: 'Good day', toolCalls: [CALL], usage: { input: 40, output: 60 } } });
}, 60_000);

afterAll(() => proxy[Symbol.asyncDispose]());

const SCHEMA = { type: 'object' as const, properties: { city: { type: 'string' } } };

describe.each(NAMES)('at %s', (provider) => {
  const chat = {
    model: 'm',
    messages: [
      { role: 'system' as const, content: 'Be brief' },
      { role: 'user' as const, content: 'hi' },
    ],
    tools: [{ type: 'function' as const, function: { name: 'weather', parameters: SCHEMA } }],
  };
  const message = {
    model: 'm',
    max_tokens: 100,
    system: 'Be brief',
    messages: [{ role: 'user' as const, content: 'hi' }],
    tools: [{ name: 'weather', input_schema: SCHEMA }],
  };
  const CHOICE = {
    finish_reason: 'tool_calls',
    message: {
      content: 'Good day',
      tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    },
  };
  const CONTENT = [
    { type: 'text', text: 'Good day' },
    { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
  ];

  test('the client of Completions, streaming and not', async () => {
    const completions = proxy.openai(provider).chat.completions;
    const whole = await completions.create(chat);
    expect(whole.choices[0]).toMatchObject(CHOICE);
    expect(whole.usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 60, total_tokens: 100 });
    const stream = completions.stream({ ...chat, stream_options: { include_usage: true } });
    const streamed = await stream.finalChatCompletion();
    expect(streamed.choices[0]).toMatchObject(CHOICE);
    expect(streamed.usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 60, total_tokens: 100 });
  });

  test('the client of Messages, streaming and not', async () => {
    const { messages } = proxy.anthropic(provider);
    const whole = await messages.create(message);
    expect(whole).toMatchObject({ content: CONTENT, stop_reason: 'tool_use', usage: { output_tokens: 60 } });
    const streamed = await messages.stream(message).finalMessage();
    expect(streamed).toMatchObject({ content: CONTENT, stop_reason: 'tool_use', usage: { output_tokens: 60 } });
  });

  test('the client of Responses, streaming and not, where the format can be had', async () => {
    const { responses } = proxy.openai(provider);
    if (provider === 'vendor4') {
      await expect(responses.create({ model: 'm', input: 'hi' })).rejects.toMatchObject({ status: 400 });
      return;
    }
    const whole = await responses.create({ model: 'm', input: 'hi', instructions: 'Be brief' });
    expect(whole).toMatchObject({ output_text: 'Good day', status: 'completed', usage: { total_tokens: 100 } });
    expect(whole.output.at(-1)).toMatchObject({ type: 'function_call', call_id: 'c1', arguments: '{"city":"Oslo"}' });
    let text = '';
    for await (const event of await responses.create({ model: 'm', input: 'hi', stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta;
    expect(text).toBe('Good day');
  });
});

test('an error of the provider is the error of the client library', async () => {
  const empty = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], temperature: 7 };
  await expect(proxy.openai('vendor1').chat.completions.create(empty)).rejects.toMatchObject({
    status: 400,
    param: 'temperature',
    code: 'invalid_value',
  });
  await expect(proxy.anthropic('custom').messages.create({ ...empty, max_tokens: 1 })).rejects.toMatchObject({
    status: 400,
    error: { type: 'error', error: { type: 'invalid_request_error' } },
  });
});
