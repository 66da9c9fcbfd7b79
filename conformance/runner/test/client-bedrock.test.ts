import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  ModelStreamErrorException,
  ThrottlingException,
  type ConverseCommandInput,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLlmProxy, type LlmProxy } from './support/llm-proxy.ts';

// The client library of cloud A in its own words, which no route reads as a format: Detect and Passthrough send them as they are,
// signed with the keys of the proxy instead of those of the client.

const SCRIPT = {
  on: [
    {
      match: { text: 'use the tool.' },
      reply: { toolCalls: [{ id: 'c1', name: 'weather', arguments: { city: 'Oslo' } }] },
    },
    { match: { text: 'fail' }, reply: { status: 429, error: { message: 'not today' } } },
    {
      match: { text: 'break' },
      reply: { stream: [{ delta: 'Hel' }, { error: { status: 424, message: 'overloaded' } }] },
    },
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

describe.each(['Detect', 'Passthrough'] as const)('the client of vendor7 through %s', (type) => {
  const client = (): BedrockRuntimeClient =>
    new BedrockRuntimeClient({
      region: 'eu-west-1',
      endpoint: proxy.native('vendor7', type),
      credentials: { accessKeyId: 'of-the-client', secretAccessKey: 'of-the-client' },
      maxAttempts: 1,
      // It would begin with HTTP/2, which the reference does not speak to its clients.
      requestHandler: new NodeHttpHandler(),
    });

  test('reads text and tokens, whole and as a stream', async () => {
    const asking = {
      ...saying({ text: 'count' }),
      system: [{ text: 'Be brief' }],
      inferenceConfig: { maxTokens: 100 },
    };
    const whole = await client().send(new ConverseCommand(asking));
    expect(whole).toMatchObject({
      output: { message: { content: [{ text: 'one two' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 40, outputTokens: 60 },
    });
    const { stream = none() } = await client().send(new ConverseStreamCommand(asking));
    const { texts, last } = await readAll(stream);
    expect(texts.join('')).toBe('one two');
    expect(last?.metadata?.usage).toMatchObject({ inputTokens: 40, outputTokens: 60 });
  });

  test('has a tool called, and tells the model what came of it', async () => {
    const json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const toolConfig = {
      tools: [{ toolSpec: { name: 'weather', description: 'The weather', inputSchema: { json } } }],
    };
    const asked = await client().send(new ConverseCommand({ ...saying({ text: 'use the tool.' }), toolConfig }));
    expect(asked).toMatchObject({ stopReason: 'tool_use' });
    expect(asked.output?.message?.content).toMatchObject([
      { toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Oslo' } } },
    ]);
    const { modelId, messages = [] } = saying({ text: 'How is it?' });
    const result = { toolResult: { toolUseId: 'c1', content: [{ text: 'rain: count' }] } };
    const turns = [
      ...messages,
      { role: 'assistant' as const, content: asked.output?.message?.content },
      { role: 'user' as const, content: [result] },
    ];
    const told = await client().send(new ConverseCommand({ modelId, messages: turns, toolConfig }));
    expect(told.output?.message?.content).toEqual([{ text: 'one two' }]);
  });

  test('sends a picture', async () => {
    const image: Image = { format: 'png', source: { bytes: Buffer.from(PIXEL, 'base64') } };
    const answer = await client().send(new ConverseCommand(saying({ text: 'count' }, { image })));
    expect(answer.output?.message?.content).toEqual([{ text: 'one two' }]);
  });

  test('throws what the provider says, streaming or not', async () => {
    const asking = saying({ text: 'fail' });
    for (const ask of [
      () => client().send(new ConverseCommand(asking)),
      () => client().send(new ConverseStreamCommand(asking)),
    ]) {
      const error: unknown = await ask().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ThrottlingException);
      expect(error).toMatchObject({ message: 'not today' });
    }
  });

  test('is told of an error in the middle of a stream, after what was said before', async () => {
    const { stream = none() } = await client().send(new ConverseStreamCommand(saying({ text: 'break' })));
    const { texts, error } = await readAll(stream);
    expect(texts).toEqual(['Hel']);
    expect(error).toBeInstanceOf(ModelStreamErrorException);
    expect(error).toMatchObject({ message: 'overloaded' });
  });

  test('gives up when it is cancelled', async () => {
    const abortSignal = AbortSignal.timeout(100);
    const asked = client().send(new ConverseCommand(saying({ text: 'wait' })), { abortSignal });
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

function saying(...content: readonly ({ text: string } | { image: Image })[]): ConverseCommandInput {
  return { modelId: 'us.amazon.nova-lite-v1:0', messages: [{ role: 'user', content: [...content] }] };
}

interface Image {
  readonly format: 'png';
  readonly source: { readonly bytes: Uint8Array };
}

/** What a stream says, and how it broke off if it did. */
async function readAll(stream: AsyncIterable<ConverseStreamOutput>): Promise<{
  readonly texts: readonly string[];
  readonly last: ConverseStreamOutput | undefined;
  readonly error?: unknown;
}> {
  const texts: string[] = [];
  let last: ConverseStreamOutput | undefined;
  try {
    for await (const event of stream) {
      last = event;
      const text = event.contentBlockDelta?.delta?.text;
      if (text !== undefined) texts.push(text);
    }
  } catch (error) {
    return { texts, last, error };
  }
  return { texts, last };
}

function none(): never {
  throw new Error('an answer without a stream');
}
