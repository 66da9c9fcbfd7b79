import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLlmProxy, type LlmProxy, type Provider } from './support/llm-proxy.ts';

// What the official clients do beyond one question: run tools until the model is done, throw the error class of a status, and
// throw when a stream has an error in it or is cut off. At every provider, so through every translation too.

const CHAT: readonly Provider[] = ['vendor1', 'vendor4', 'custom'];
const MESSAGES: readonly Provider[] = ['vendor1', 'vendor4', 'custom', 'responses'];
const RESPONSES: readonly Provider[] = ['vendor1', 'custom'];

const CALLS = [
  { id: 'c1', name: 'weather', arguments: { city: 'Oslo' } },
  { id: 'c2', name: 'weather', arguments: { city: 'Bergen' } },
];
const ANSWER = { text: 'Rain in both' };
const STATUSES = [400, 401, 403, 404, 429, 500, 503] as const;

/** What the providers say follows from a word in the question; a lane counts for itself. */
const SCRIPT = {
  on: [
    ...['chat', 'chat-stream', 'messages', 'messages-stream', 'responses'].map((client) => ({
      match: { text: `tools for ${client}.` },
      replies: [{ text: 'Let me look', toolCalls: CALLS }, ANSWER],
    })),
    ...STATUSES.map((status) => ({
      match: { text: `fail with ${status}` },
      reply: { status, error: { message: `told ${status}` }, headers: { 'retry-after': 7 } },
    })),
    {
      match: { text: 'break in the middle' },
      reply: { stream: [{ delta: 'Hel' }, { error: { message: 'overloaded' } }] },
    },
    { match: { text: 'cut in the middle' }, reply: { stream: [{ delta: 'Hel' }, { end: true }] } },
    { match: { text: 'count' }, reply: { text: 'one two', usage: { input: 40, output: 60, cached: 8 } } },
  ],
};

let proxy: LlmProxy;

beforeAll(async () => {
  proxy = await startLlmProxy(SCRIPT);
}, 60_000);

afterAll(() => proxy[Symbol.asyncDispose]());

function user(content: string): { readonly role: 'user'; readonly content: string } {
  return { role: 'user', content };
}

function asking(content: string): Anthropic.MessageCreateParamsNonStreaming {
  return { model: 'm', max_tokens: 100, messages: [user(content)] };
}

const SCHEMA = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };

describe.each(CHAT)('the client of Completions at %s', (provider) => {
  const completions = (): OpenAI.Chat.Completions => proxy.openai(provider).chat.completions;
  const cities: unknown[] = [];
  const tools = [
    {
      type: 'function' as const,
      function: {
        name: 'weather',
        description: 'The weather',
        parameters: SCHEMA,
        parse: JSON.parse,
        function: (args: unknown) => {
          cities.push(args);
          return 'rain';
        },
      },
    },
  ];

  test('runs tools until the model is done, streaming and not', async () => {
    const whole = completions().runTools({ model: 'm', messages: [user('tools for chat.')], tools });
    expect(await whole.finalContent()).toBe('Rain in both');
    const streamed = completions().runTools({
      model: 'm',
      messages: [user('tools for chat-stream.')],
      tools,
      stream: true,
    });
    expect(await streamed.finalContent()).toBe('Rain in both');
    expect(cities).toEqual([{ city: 'Oslo' }, { city: 'Bergen' }, { city: 'Oslo' }, { city: 'Bergen' }]);
  });

  test.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [429, OpenAI.RateLimitError],
    [503, OpenAI.InternalServerError],
  ] as const)('throws the class of %i with the words of the provider, streaming or not', async (status, kind) => {
    for (const stream of [false, true]) {
      const asked = completions().create({ model: 'm', messages: [user(`fail with ${status}`)], stream });
      const error: unknown = await asked.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ status, message: expect.stringContaining(`told ${status}`) as unknown });
    }
  });

  test('throws when a stream has an error in it, with what was said before', async () => {
    const { pieces, error } = await readAll(
      await completions().create({ model: 'm', messages: [user('break in the middle')], stream: true }),
    );
    expect(pieces.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hel');
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ message: expect.stringContaining('overloaded') as unknown });
  });
});

describe.each(MESSAGES)('the client of Messages at %s', (provider) => {
  const messages = (): Anthropic.Messages => proxy.anthropic(provider).messages;
  const tools: Anthropic.Tool[] = [{ name: 'weather', description: 'The weather', input_schema: SCHEMA }];

  test.each([false, true])('answers the calls of the model, streaming: %s', async (stream) => {
    const first = { ...asking(`tools for messages${stream ? '-stream' : ''}.`), tools };
    const create = (body: Anthropic.MessageCreateParamsNonStreaming): Promise<Anthropic.Message> =>
      stream ? messages().stream(body).finalMessage() : messages().create(body);
    const calling = await create(first);
    const uses = calling.content.filter((block) => block.type === 'tool_use');
    expect(uses.map(({ id, input }) => ({ id, input }))).toEqual([
      { id: 'c1', input: { city: 'Oslo' } },
      { id: 'c2', input: { city: 'Bergen' } },
    ]);
    const results = uses.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'rain' }));
    const turns = [
      ...first.messages,
      { role: 'assistant' as const, content: calling.content },
      { role: 'user' as const, content: results },
    ];
    const done = await create({ ...first, messages: turns });
    expect(done).toMatchObject({ content: [{ type: 'text', text: 'Rain in both' }], stop_reason: 'end_turn' });
  });

  test.each([
    [400, Anthropic.BadRequestError],
    [401, Anthropic.AuthenticationError],
    [403, Anthropic.PermissionDeniedError],
    [404, Anthropic.NotFoundError],
    [429, Anthropic.RateLimitError],
    [500, Anthropic.InternalServerError],
  ] as const)('throws the class of %i with the words of the provider, streaming or not', async (status, kind) => {
    for (const stream of [false, true]) {
      const asked = messages().create({ ...asking(`fail with ${status}`), stream });
      const error: unknown = await asked.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ status, error: { type: 'error', error: { message: `told ${status}` } } });
    }
  });

  test('throws when a stream has an error in it, with what was said before', async () => {
    const { pieces, error } = await readAll(
      await messages().create({ ...asking('break in the middle'), stream: true }),
    );
    const text = pieces.map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
    );
    expect(text.join('')).toBe('Hel');
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ error: { type: 'error', error: { message: 'overloaded' } } });
  });

  test('counts every token once', async () => {
    const told = await messages().stream(asking('count')).finalMessage();
    const { input_tokens: input, cache_read_input_tokens: cached, output_tokens: output } = told.usage;
    expect([cached, output]).toEqual([8, 60]);
    // This format leaves what came from the cache out of the input; the provider of another one does not.
    expect(input).toBe(provider === 'vendor4' ? 40 : 32);
  });
});

describe.each(RESPONSES)('the client of Responses at %s', (provider) => {
  const responses = (): OpenAI.Responses => proxy.openai(provider).responses;
  const tools: OpenAI.Responses.Tool[] = [
    { type: 'function', name: 'weather', description: 'The weather', parameters: SCHEMA, strict: false },
  ];

  test('answers the calls of the model', async () => {
    const question = user('tools for responses.');
    const calling = await responses().create({ model: 'm', input: [question], tools });
    const calls = calling.output.filter((item) => item.type === 'function_call');
    expect(calls.map(({ call_id: id }) => id)).toEqual(['c1', 'c2']);
    const results = calls.map(({ call_id: id }) => ({
      type: 'function_call_output' as const,
      call_id: id,
      output: 'rain',
    }));
    const spoken = calling.output
      .filter((item) => item.type === 'message')
      .map(({ content }) => content.flatMap(textOf));
    const said = { role: 'assistant' as const, content: spoken.flat().join('') };
    const input = [question, said, ...calls, ...results];
    expect(await responses().create({ model: 'm', input, tools })).toMatchObject({ output_text: 'Rain in both' });
  });

  test('gathers a stream with its tokens', async () => {
    const final = await responses().stream({ model: 'm', input: 'count' }).finalResponse();
    expect(final).toMatchObject({ output_text: 'one two', usage: { input_tokens: 40, output_tokens: 60 } });
  });

  test('throws the class of a status, and when a stream has an error in it', async () => {
    const error: unknown = await responses()
      .create({ model: 'm', input: 'fail with 429' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    const stream = await responses().create({ model: 'm', input: 'break in the middle', stream: true });
    const { pieces, error: broken } = await readAll(stream);
    expect(pieces.at(-1)).toMatchObject({ type: 'response.output_text.delta', delta: 'Hel' });
    expect(broken).toBeInstanceOf(OpenAI.APIError);
    expect(broken).toMatchObject({ message: expect.stringContaining('overloaded') as unknown });
  });
});

test.each(['vendor4', 'custom', 'responses'] as const)(
  'a stream that %s cuts off is not a whole message',
  async (provider) => {
    const asked = proxy
      .anthropic(provider)
      .messages.stream({ model: 'm', max_tokens: 9, messages: [user('cut in the middle')] });
    await expect(asked.finalMessage()).rejects.toBeInstanceOf(Error);
  },
);

// Both clients reuse connections, and neither reads before it has sent all it has: what nobody reads of the first keeps the second waiting.
test.each([6, 12, 30])('a question of %i MB is told to be too large, again and again', async (megabytes) => {
  const question = user('x'.repeat(megabytes * 1e6));
  for (let time = 0; time < 2; time += 1) {
    const chat = proxy.openai('vendor1').chat.completions.create({ model: 'm', messages: [question] });
    await expect(chat).rejects.toMatchObject({ status: 413 });
    const message = proxy.anthropic('vendor4').messages.create({ model: 'm', max_tokens: 9, messages: [question] });
    await expect(message).rejects.toMatchObject({ status: 413 });
  }
});

function textOf(part: OpenAI.Responses.ResponseOutputText | OpenAI.Responses.ResponseOutputRefusal): string[] {
  return part.type === 'output_text' ? [part.text] : [];
}

/** Everything a stream says, and what it throws in the end. */
async function readAll<T>(
  stream: AsyncIterable<T>,
): Promise<{ readonly pieces: readonly T[]; readonly error: unknown }> {
  const pieces: T[] = [];
  try {
    for await (const piece of stream) pieces.push(piece);
  } catch (error) {
    return { pieces, error };
  }
  return { pieces, error: undefined };
}
