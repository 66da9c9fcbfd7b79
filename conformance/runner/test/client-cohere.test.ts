import { CohereClientV2, CohereError, type Cohere } from 'cohere-ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLlmProxy, type LlmProxy } from './support/llm-proxy.ts';

// The client library `cohere-ai`: its rerank is the format of a route, at a provider of its own and translated for two clouds. Its chat
// is no format of the suite, so Detect and Passthrough send it as it is; what the provider says stands here.

const TOOL = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
const DELTA = { type: 'content-delta', index: 0, delta: { message: { content: { text: 'one ' } } } };
const EVENTS = [
  { type: 'message-start', id: 'm1', delta: { message: { role: 'assistant' } } },
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
  DELTA,
  { ...DELTA, delta: { message: { content: { text: 'two' } } } },
  { type: 'content-end', index: 0 },
];
const USAGE = { tokens: { input_tokens: 40, output_tokens: 60 } };
const SCRIPT = {
  on: [
    {
      match: { format: 'Completions', text: 'use the tool.' },
      reply: { json: saying('TOOL_CALL', { tool_calls: [TOOL] }) },
    },
    { match: { text: 'fail' }, reply: { status: 429, json: { message: 'not today' } } },
    { match: { text: 'refuse' }, reply: { status: 429, error: { message: 'not today' } } },
    { match: { text: 'wait' }, reply: { fault: 'hang' } },
    {
      match: { format: 'Completions', text: 'break' },
      reply: sse([...EVENTS.slice(0, 3), end({ finish_reason: 'ERROR', error: 'overloaded' })]),
    },
    {
      match: { format: 'Completions', text: '"stream":true' },
      reply: sse([...EVENTS, end({ finish_reason: 'COMPLETE', usage: USAGE })]),
    },
    {
      match: { format: 'Completions', text: 'count' },
      reply: { json: saying('COMPLETE', { content: [{ type: 'text', text: 'one two' }] }) },
    },
    { match: { text: 'rank' }, reply: {} },
  ],
};
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let proxy: LlmProxy;

beforeAll(async () => {
  proxy = await startLlmProxy(SCRIPT);
}, 60_000);

afterAll(() => proxy[Symbol.asyncDispose]());

function clientAt(baseUrl: string): CohereClientV2 {
  return new CohereClientV2({ token: 'of-the-client', baseUrl, maxRetries: 0 });
}

describe.each(['reranker', 'vendor6', 'vendor7'] as const)('rerank at %s', (provider) => {
  const client = (): CohereClientV2 => clientAt(proxy.native(provider, 'Rerank'));
  const ranking = { model: 'rerank-v3.5', query: 'rank', documents: ['first', 'second', 'third'], topN: 2 };

  test('reads the documents in their order', async () => {
    const { results } = await client().rerank(ranking);
    expect(results.map(({ index }) => index)).toEqual([2, 1]);
    expect(results[0]?.relevanceScore).toBeGreaterThan(results[1]?.relevanceScore ?? 1);
  });

  test('throws what the provider says', async () => {
    const error: unknown = await client()
      .rerank({ ...ranking, query: 'refuse' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CohereError);
    expect(error).toMatchObject({ statusCode: 429, message: expect.stringContaining('not today') as unknown });
  });

  test('gives up when it is cancelled', async () => {
    const asked = client().rerank({ ...ranking, query: 'wait' }, { abortSignal: AbortSignal.timeout(100) });
    await expect(asked).rejects.toThrow(/abort/i);
  });
});

describe.each(['Detect', 'Passthrough'] as const)('chat through %s', (type) => {
  const client = (): CohereClientV2 => clientAt(proxy.native('anything', type));

  test('reads text and tokens, whole and as a stream', async () => {
    const whole = await client().chat(asking('count'));
    expect(whole.message.content).toEqual([{ type: 'text', text: 'one two' }]);
    expect(whole.usage).toMatchObject({ tokens: { inputTokens: 40, outputTokens: 60 } });
    const { text, last } = await readAll(await client().chatStream(asking('count')));
    expect(text).toBe('one two');
    expect(last).toMatchObject({ type: 'message-end', delta: { usage: { tokens: { outputTokens: 60 } } } });
  });

  test('has a tool called, and tells the model what came of it', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }];
    const question = asking('use the tool.');
    const { message, finishReason } = await client().chat({ ...question, tools });
    expect(finishReason).toBe('TOOL_CALL');
    const messages: Cohere.ChatMessageV2[] = [
      { role: 'user', content: 'How is it?' },
      { ...message, role: 'assistant' },
      { role: 'tool', toolCallId: 'c1', content: 'rain: count' },
    ];
    const told = await client().chat({ ...question, messages, tools });
    expect(told.message.content).toEqual([{ type: 'text', text: 'one two' }]);
  });

  test('sends a picture', async () => {
    const url = `data:image/png;base64,${PIXEL}`;
    const answer = await client().chat(
      asking([
        { type: 'text', text: 'count' },
        { type: 'image_url', imageUrl: { url } },
      ]),
    );
    expect(answer.message.content).toEqual([{ type: 'text', text: 'one two' }]);
  });

  test('throws what the provider says, streaming or not', async () => {
    for (const ask of [() => client().chat(asking('fail')), () => client().chatStream(asking('fail'))]) {
      const error: unknown = await ask().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CohereError);
      expect(error).toMatchObject({ statusCode: 429, message: expect.stringContaining('not today') as unknown });
    }
  });

  test('is told of an error at the end of a stream, after what was said before', async () => {
    const { text, last } = await readAll(await client().chatStream(asking('break')));
    expect(text).toBe('one ');
    expect(last).toMatchObject({ type: 'message-end', delta: { error: 'overloaded' } });
  });

  test('gives up when it is cancelled', async () => {
    const asked = client().chat(asking('wait'), { abortSignal: AbortSignal.timeout(100) });
    await expect(asked).rejects.toThrow(/abort/i);
  });
});

function asking(content: Cohere.UserMessageV2Content): Cohere.V2ChatRequest {
  return { model: 'command-a', messages: [{ role: 'user', content }] };
}

async function readAll(stream: AsyncIterable<Cohere.V2ChatStreamResponse>): Promise<{
  readonly text: string;
  readonly last: Cohere.V2ChatStreamResponse | undefined;
}> {
  let text = '';
  let last: Cohere.V2ChatStreamResponse | undefined;
  for await (const event of stream) {
    if (event.type === 'content-delta') text += event.delta?.message?.content?.text ?? '';
    last = event;
  }
  return { text, last };
}

function saying(reason: string, message: object): object {
  return { id: 'm1', finish_reason: reason, message: message, usage: USAGE };
}

function end(delta: object): object {
  return { type: 'message-end', id: 'm1', delta };
}

function sse(events: readonly { readonly type?: string }[]): object {
  const body = events.map((event) => `event: ${event.type ?? ''}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return { headers: { 'content-type': 'text/event-stream' }, body };
}
