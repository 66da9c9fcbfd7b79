import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, jsonSchema, streamText, tool, type LanguageModel } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLlmProxy, type LlmProxy } from './support/llm-proxy.ts';

// The client library `ai` with its own clients of two vendors, through the reference to providers that are as strict as the real ones.

const SCRIPT = {
  on: [
    {
      match: { text: 'use the tool.' },
      reply: { toolCalls: [{ id: 'c1', name: 'weather', arguments: { city: 'Oslo' } }] },
    },
    { match: { text: 'fail' }, reply: { status: 429, error: { message: 'not today' } } },
    { match: { text: 'break' }, reply: { stream: [{ delta: 'Hel' }, { error: { message: 'overloaded' } }] } },
    { match: { text: 'count' }, reply: { text: 'one two', usage: { input: 40, output: 60 } } },
  ],
};
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let proxy: LlmProxy;

beforeAll(async () => {
  proxy = await startLlmProxy(SCRIPT);
}, 60_000);

afterAll(() => proxy[Symbol.asyncDispose]());

/** The address of a provider, as the official client of a vendor is given it. */
function modelAt(client: 'chat' | 'responses' | 'messages', provider: 'vendor1' | 'vendor4' | 'custom'): LanguageModel {
  const { baseURL } = proxy.openai(provider);
  if (client === 'messages') return createAnthropic({ baseURL, apiKey: 'k' })('m');
  const vendor = createOpenAI({ baseURL, apiKey: 'k' });
  return client === 'chat' ? vendor.chat('m') : vendor.responses('m');
}

describe.each([
  ['chat', 'vendor1'],
  ['chat', 'vendor4'],
  ['responses', 'vendor1'],
  ['responses', 'custom'],
  ['messages', 'vendor4'],
  ['messages', 'vendor1'],
  ['messages', 'custom'],
] as const)('the client of %s at %s', (client, provider) => {
  const asking = (prompt: string) => ({
    model: modelAt(client, provider),
    prompt,
    maxRetries: 0,
    maxOutputTokens: 100,
  });

  test('reads text and tokens, whole and as a stream', async () => {
    const whole = await generateText(asking('count'));
    expect(whole).toMatchObject({
      text: 'one two',
      finishReason: 'stop',
      usage: { inputTokens: 40, outputTokens: 60 },
    });
    const streamed = streamText(asking('count'));
    expect(await streamed.text).toBe('one two');
    expect(await streamed.usage).toMatchObject({ inputTokens: 40, outputTokens: 60 });
  });

  test('has a tool called, and tells the model what came of it', async () => {
    const cities: string[] = [];
    const weather = tool({
      description: 'The weather',
      inputSchema: jsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      }),
      execute: ({ city }) => {
        cities.push(city);
        return 'rain';
      },
    });
    const { toolCalls } = await generateText({ ...asking('use the tool.'), tools: { weather } });
    expect(toolCalls).toMatchObject([{ toolName: 'weather', input: { city: 'Oslo' } }]);
    expect(cities).toEqual(['Oslo']);
  });

  test('sends a picture', async () => {
    const { prompt, ...rest } = asking('count');
    const content = [
      { type: 'text' as const, text: prompt },
      { type: 'image' as const, image: PIXEL, mediaType: 'image/png' },
    ];
    expect(await generateText({ ...rest, messages: [{ role: 'user', content }] })).toMatchObject({ text: 'one two' });
  });

  test('throws what the provider says', async () => {
    const error: unknown = await generateText(asking('fail')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APICallError);
    expect(error).toMatchObject({ statusCode: 429, message: 'not today' });
  });

  test('is told of an error in the middle of a stream, after what was said before', async () => {
    const told: string[] = [];
    const errors: unknown[] = [];
    const { fullStream } = streamText({ ...asking('break'), onError: ({ error }) => void errors.push(error) });
    for await (const part of fullStream) if (part.type === 'text-delta') told.push(part.text);
    expect(told.join('')).toBe('Hel');
    expect(JSON.stringify(errors)).toContain('overloaded');
  });

  test('gives up when it is cancelled', async () => {
    const cancelling = new AbortController();
    const { fullStream } = streamText({ ...asking('count'), abortSignal: cancelling.signal });
    const kinds: string[] = [];
    for await (const { type } of fullStream) {
      kinds.push(type);
      if (type === 'start-step') cancelling.abort();
    }
    expect(kinds.at(-1)).toBe('abort');
  });
});
