import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import type { Mock } from '../../../mock.ts';
import { provider } from './support.ts';

function openai(mock: Mock): OpenAI {
  return new OpenAI({ apiKey: 'k', baseURL: `http://${mock.host}:${mock.port}/v1`, maxRetries: 0 });
}

function anthropic(mock: Mock): Anthropic {
  return new Anthropic({ apiKey: 'k', baseURL: `http://${mock.host}:${mock.port}`, maxRetries: 0 });
}

const TOOL_CALL = { name: 'weather', arguments: { city: 'Oslo' } };
const USAGE = { input: 40, output: 60, cached: 8 };

describe('the official client of Completions', () => {
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }];

  test('reads text, tokens and finish reason', async () => {
    const mock = await provider({ format: 'Completions', reply: { text: 'one two', usage: USAGE } });
    const answer = await openai(mock).chat.completions.create(request);
    expect(answer.choices[0]).toMatchObject({ message: { content: 'one two' }, finish_reason: 'stop' });
    expect(answer.usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 60, total_tokens: 100 });
    expect(answer.model).toBe('m');
  });

  test('gathers a stream with tool calls, and its tokens', async () => {
    const mock = await provider({
      format: 'Completions',
      reply: { text: 'let me see', toolCalls: [TOOL_CALL], usage: USAGE },
    });
    const stream = openai(mock).chat.completions.stream({ ...request, tools, stream_options: { include_usage: true } });
    const answer = await stream.finalChatCompletion();
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'let me see',
        tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
      },
    });
    expect(answer.usage?.prompt_tokens_details?.cached_tokens).toBe(8);
  });

  test('throws the error of the provider', async () => {
    const mock = await provider({ format: 'Completions', reply: { status: 429, headers: { 'retry-after': 1 } } });
    await expect(openai(mock).chat.completions.create(request)).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
    });
  });
});

describe('the official client of Messages', () => {
  const request = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] };

  test('reads blocks, tokens and stop reason', async () => {
    const mock = await provider({ format: 'Messages', reply: { text: 'one', toolCalls: [TOOL_CALL], usage: USAGE } });
    const answer = await anthropic(mock).messages.create(request);
    expect(answer.content).toMatchObject([
      { type: 'text', text: 'one' },
      { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
    ]);
    expect(answer).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 40, cache_read_input_tokens: 8 } });
  });

  test('gathers a stream of thoughts, text and tool calls', async () => {
    const reply = { reasoning: 'so it is', text: 'one two', toolCalls: [TOOL_CALL], usage: USAGE };
    const mock = await provider({ format: 'Messages', reply });
    const answer = await anthropic(mock).messages.stream(request).finalMessage();
    expect(answer.content).toMatchObject([
      { type: 'thinking', thinking: 'so it is' },
      { type: 'text', text: 'one two' },
      { type: 'tool_use', input: { city: 'Oslo' } },
    ]);
    expect(answer).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 40, output_tokens: 60 } });
  });

  test('throws the error of the provider, in the middle of a stream too', async () => {
    const busy = { status: 529 };
    const broken = { stream: [{ delta: 'a' }, { error: { status: 529, message: 'too much' } }] };
    const mock = await provider({ format: 'Messages', replies: [busy, broken] });
    await expect(anthropic(mock).messages.create(request)).rejects.toMatchObject({ status: 529 });
    await expect(anthropic(mock).messages.stream(request).finalMessage()).rejects.toThrow('too much');
  });
});

describe('the official client of Responses and Embeddings', () => {
  test('reads output, tokens and status', async () => {
    const mock = await provider({ reply: { text: 'one two', toolCalls: [TOOL_CALL], usage: USAGE } });
    const answer = await openai(mock).responses.create({ model: 'm', input: 'hi' });
    expect(answer.output_text).toBe('one two');
    expect(answer.output[1]).toMatchObject({ type: 'function_call', call_id: 'call_1', arguments: '{"city":"Oslo"}' });
    expect(answer).toMatchObject({ status: 'completed', usage: { input_tokens: 40, output_tokens: 60 } });
  });

  test('gathers a stream of text and tool calls', async () => {
    const mock = await provider({ reply: { reasoning: 'hm', text: 'one two', toolCalls: [TOOL_CALL], usage: USAGE } });
    const answer = await openai(mock).responses.stream({ model: 'm', input: 'hi' }).finalResponse();
    expect(answer.output_text).toBe('one two');
    expect(answer.output[2]).toMatchObject({ type: 'function_call', arguments: '{"city":"Oslo"}' });
    expect(answer.usage?.total_tokens).toBe(100);
  });

  test('takes no call without its output', async () => {
    const mock = await provider();
    const input = [{ type: 'function_call_output' as const, call_id: 'c', output: '1' }];
    await expect(openai(mock).responses.create({ model: 'm', input })).rejects.toThrow('No tool call found');
  });

  test('decodes vectors', async () => {
    const mock = await provider({ format: 'Embeddings', reply: { usage: { input: 5, output: 0 } } });
    const answer = await openai(mock).embeddings.create({ model: 'm', input: ['a', 'b'] });
    const plain = await openai(mock).embeddings.create({ model: 'm', input: ['a', 'b'], encoding_format: 'float' });
    expect(answer.data.map((one) => one.embedding)).toEqual(plain.data.map((one) => one.embedding));
    expect(answer.data[0]?.embedding).not.toEqual(answer.data[1]?.embedding);
    expect(answer.usage).toEqual({ prompt_tokens: 5, total_tokens: 5 });
  });
});
