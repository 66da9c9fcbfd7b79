import { ApiError, GoogleGenAI, Type } from '@google/genai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLlmProxy, type LlmProxy } from './support/llm-proxy.ts';

// The client library of vendor5 in its own words, which no route reads as a format: Detect and Passthrough send them as they are.

const SCRIPT = {
  on: [
    { match: { text: 'use the tool.' }, reply: { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] } },
    { match: { text: 'fail' }, reply: { status: 429, error: { message: 'not today' } } },
    { match: { text: 'break' }, reply: { stream: [{ delta: 'Hel' }, { error: { message: 'overloaded' } }] } },
    { match: { text: 'wait' }, reply: { fault: 'hang' } },
    { match: { text: 'count' }, reply: { text: 'one two', usage: { input: 40, output: 60 } } },
  ],
};
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let proxy: LlmProxy;

beforeAll(async () => {
  proxy = await startLlmProxy(SCRIPT);
}, 60_000);

afterAll(() => proxy[Symbol.asyncDispose]());

describe.each(['Detect', 'Passthrough'] as const)('the client of vendor5 through %s', (type) => {
  const model = 'gemini-2.5-flash';
  const models = (): GoogleGenAI['models'] =>
    new GoogleGenAI({ apiKey: 'of-the-client', httpOptions: { baseUrl: proxy.native('vendor5', type) } }).models;

  test('reads text and tokens, whole and as a stream', async () => {
    const asking = { model, contents: 'count', config: { systemInstruction: 'Be brief', maxOutputTokens: 100 } };
    const whole = await models().generateContent(asking);
    expect(whole.text).toBe('one two');
    expect(whole.usageMetadata).toMatchObject({ promptTokenCount: 40, candidatesTokenCount: 60 });
    const pieces = [];
    for await (const piece of await models().generateContentStream(asking)) pieces.push(piece);
    expect(pieces.map(({ text }) => text ?? '').join('')).toBe('one two');
    expect(pieces.at(-1)?.usageMetadata).toMatchObject({ promptTokenCount: 40, candidatesTokenCount: 60 });
  });

  test('has a tool called, and tells the model what came of it', async () => {
    const parameters = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] };
    const config = { tools: [{ functionDeclarations: [{ name: 'weather', description: 'The weather', parameters }] }] };
    const question = { role: 'user', parts: [{ text: 'use the tool.' }] };
    const { functionCalls, candidates } = await models().generateContent({ model, contents: [question], config });
    expect(functionCalls).toMatchObject([{ name: 'weather', args: { city: 'Oslo' } }]);
    const told = {
      role: 'user',
      parts: [{ functionResponse: { name: 'weather', response: { output: 'rain: count' } } }],
    };
    const contents = [{ ...question, parts: [{ text: 'How is it?' }] }, candidates?.[0]?.content ?? {}, told];
    expect((await models().generateContent({ model, contents, config })).text).toBe('one two');
  });

  test('sends a picture', async () => {
    const contents = [{ text: 'count' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }];
    expect((await models().generateContent({ model, contents })).text).toBe('one two');
  });

  test('throws what the provider says, streaming or not', async () => {
    const asking = { model, contents: 'fail' };
    for (const ask of [() => models().generateContent(asking), () => models().generateContentStream(asking)]) {
      const error: unknown = await ask().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 429, message: expect.stringContaining('not today') as unknown });
    }
  });

  test('is told of an error in the middle of a stream, after what was said before', async () => {
    const told: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { text } of await models().generateContentStream({ model, contents: 'break' }))
        told.push(text ?? '');
    };
    await expect(read()).rejects.toThrow('overloaded');
    expect(told.join('')).toBe('Hel');
  });

  test('gives up when it is cancelled', async () => {
    const config = { abortSignal: AbortSignal.timeout(100) };
    await expect(models().generateContent({ model, contents: 'wait', config })).rejects.toThrow(/abort/i);
  });
});
