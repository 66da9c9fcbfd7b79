import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Format } from '../../../../backends/ai/formats/format.ts';
import { completions } from '../../../../backends/ai/formats/completions.ts';
import { embeddings } from '../../../../backends/ai/formats/embeddings.ts';
import { messages } from '../../../../backends/ai/formats/messages.ts';
import { responses } from '../../../../backends/ai/formats/responses.ts';
import type { Json } from '../../../../backends/json.ts';
import { jsonEvent } from '../../../../backends/ai/streams/stream-event.ts';
import { mergeUsage } from '../../../../backends/ai/call/merge-usage.ts';

const FORMATS = [completions, messages, responses, embeddings];

const text = (words: string): Json => ({ type: 'text', text: words });
const picture = { type: 'image_url', image_url: { url: 'http://p/' } };

/** A request, what it says by role, and the request when every text is put in capitals. */
const PROMPTS: readonly [
  format: Format,
  request: Json,
  prompt: readonly (readonly [string, string])[],
  capital: Json,
][] = [
  [
    completions,
    {
      model: 'm',
      x: 1,
      messages: [
        { role: 'system', content: 'be' },
        { role: 'user', content: [text('a'), text('b'), picture, { ...text('c'), y: 1 }] },
        { role: 'assistant', content: null, tool_calls: [{ function: { arguments: 'secret' } }] },
        { role: 'tool', tool_call_id: 't', content: 'result' },
      ],
    },
    [
      ['system', 'be'],
      ['user', 'a b'],
      ['user', 'c'],
    ],
    {
      model: 'm',
      x: 1,
      messages: [
        { role: 'system', content: 'BE' },
        { role: 'user', content: [text('A B'), picture, { ...text('C'), y: 1 }] },
        { role: 'assistant', content: null, tool_calls: [{ function: { arguments: 'secret' } }] },
        { role: 'tool', tool_call_id: 't', content: 'result' },
      ],
    },
  ],
  [
    messages,
    {
      model: 'm',
      system: [text('be'), text('kind')],
      messages: [
        { role: 'user', content: [{ type: 'tool_result', content: 'result' }, text('a')] },
        { role: 'assistant', content: 'b' },
      ],
    },
    [
      ['system', 'be\nkind'],
      ['user', 'a'],
      ['assistant', 'b'],
    ],
    {
      model: 'm',
      system: [text('BE\nKIND')],
      messages: [
        { role: 'user', content: [{ type: 'tool_result', content: 'result' }, text('A')] },
        { role: 'assistant', content: 'B' },
      ],
    },
  ],
  [
    responses,
    {
      model: 'm',
      instructions: 'be',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
        { type: 'function_call_output', output: 'result' },
      ],
    },
    [
      ['system', 'be'],
      ['user', 'a'],
      ['assistant', 'b'],
    ],
    {
      model: 'm',
      instructions: 'BE',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'A' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'B' }] },
        { type: 'function_call_output', output: 'result' },
      ],
    },
  ],
  [responses, { model: 'm', input: 'a' }, [['user', 'a']], { model: 'm', input: 'A' }],
  [embeddings, { model: 'm', input: 'a' }, [], { model: 'm', input: 'a' }],
];

describe.each(PROMPTS)('prompt of $name', (format, request, prompt, capital) => {
  test('is the text by role', () => {
    expect(format.prompt(request)).toEqual(prompt.map(([role, words]) => ({ role, text: words })));
  });

  test('is replaced one by one', () => {
    const texts = format.prompt(request).map((one) => one.text.toUpperCase());
    expect(format.withPrompt(request, texts)).toEqual(capital);
  });

  test('that stays the same leaves the request as it is', () => {
    const texts = format.prompt(request).map((one) => one.text);
    expect(format.withPrompt(request, texts)).toBe(request);
  });
});

const BEFORE = [
  { role: 'system', content: 'one' },
  { role: 'user', content: 'two' },
];
const AFTER = [
  { role: 'system', content: 'three' },
  { role: 'user', content: 'four' },
];
const own = { role: 'user', content: 'own' };
const item = (message: Json): Json => ({ type: 'message', ...message });

const ENRICHED: readonly [format: Format, request: Json, enriched: Json][] = [
  [completions, { messages: [own] }, { messages: [...BEFORE, own, ...AFTER] }],
  [messages, { messages: [own] }, { system: 'one\nthree', messages: [BEFORE[1], own, AFTER[1]] }],
  [messages, { system: 'x', messages: [own] }, { system: 'one\nx\nthree', messages: [BEFORE[1], own, AFTER[1]] }],
  [
    messages,
    { system: [text('x')], messages: [own] },
    { system: [text('one'), text('x'), text('three')], messages: [BEFORE[1], own, AFTER[1]] },
  ],
  [responses, { input: 'own' }, { input: [...BEFORE, own, ...AFTER].map(item) }],
  [responses, { input: [own] }, { input: [...BEFORE.map(item), own, ...AFTER.map(item)] }],
  [embeddings, { input: 'own' }, { input: 'own' }],
];

test.each(ENRICHED)('messages before and after: $name %#', (format, request, enriched) => {
  expect(format.enrich(request, BEFORE, AFTER)).toEqual(enriched);
});

const outputText = (words: string): Json => ({ type: 'output_text', text: words });

/** A reply, its texts, and the reply when every text is put in capitals. */
const REPLIES: readonly [format: Format, reply: Json, texts: readonly string[], capital: Json][] = [
  [
    completions,
    {
      choices: [
        { index: 0, message: { content: 'a' } },
        { index: 1, message: { content: null } },
        { index: 2, message: { content: 'b' } },
      ],
    },
    ['a', 'b'],
    {
      choices: [
        { index: 0, message: { content: 'A' } },
        { index: 1, message: { content: null } },
        { index: 2, message: { content: 'B' } },
      ],
    },
  ],
  [
    messages,
    { content: [{ type: 'thinking', thinking: 't' }, text('a'), { type: 'tool_use', id: 'x' }, text('b')] },
    ['a', 'b'],
    { content: [{ type: 'thinking', thinking: 't' }, text('A'), { type: 'tool_use', id: 'x' }, text('B')] },
  ],
  [
    responses,
    { output: [{ type: 'reasoning' }, { type: 'message', content: [outputText('a'), outputText('b')] }] },
    ['a', 'b'],
    { output: [{ type: 'reasoning' }, { type: 'message', content: [outputText('A'), outputText('B')] }] },
  ],
];

test.each(REPLIES)('completion of $name', (format, reply, texts, capital) => {
  expect(format.completion(reply)).toEqual(texts);
  expect(format.withCompletion(reply, texts)).toBe(reply);
  expect(
    format.withCompletion(
      reply,
      texts.map((one) => one.toUpperCase()),
    ),
  ).toEqual(capital);
});

const USAGES: readonly [format: Format, usage: Json, read: Json][] = [
  [
    completions,
    {
      prompt_tokens: 10,
      completion_tokens: 3,
      total_tokens: 13,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    },
    {
      inputTokens: 10,
      outputTokens: 3,
      totalTokens: 13,
      providerInputTokens: 10,
      providerTotalTokens: 13,
      cachedInputTokens: 4,
      reasoningTokens: 2,
    },
  ],
  [
    messages,
    { input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 1 },
    {
      inputTokens: 15,
      outputTokens: 3,
      totalTokens: 18,
      providerInputTokens: 10,
      cachedInputTokens: 4,
      cacheCreationInputTokens: 1,
    },
  ],
  [
    responses,
    { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3, total_tokens: 13 },
    {
      inputTokens: 10,
      outputTokens: 3,
      totalTokens: 13,
      providerInputTokens: 10,
      providerTotalTokens: 13,
      cachedInputTokens: 4,
    },
  ],
  [
    embeddings,
    { prompt_tokens: 10, total_tokens: 10 },
    { inputTokens: 10, outputTokens: 0, totalTokens: 10, providerInputTokens: 10, providerTotalTokens: 10 },
  ],
];

test.each(USAGES)('usage of $name', (format, usage, read) => {
  expect(format.usage({ usage })).toEqual(read);
  expect(format.usage({})).toBeUndefined();
});

const STREAMED: readonly [format: Format, events: readonly Json[], usage: Json][] = [
  [
    completions,
    [
      { choices: [], usage: null },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 3 } },
    ],
    { inputTokens: 10, outputTokens: 3, totalTokens: 13 },
  ],
  [
    messages,
    [
      { type: 'message_start', message: { usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 } } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } },
      { type: 'message_delta', usage: { output_tokens: 3 } },
    ],
    { inputTokens: 14, outputTokens: 3, totalTokens: 17, providerInputTokens: 10, cachedInputTokens: 4 },
  ],
  [
    responses,
    [
      { type: 'response.created', response: { usage: null } },
      { type: 'response.completed', response: { usage: { input_tokens: 10, output_tokens: 3 } } },
    ],
    { inputTokens: 10, outputTokens: 3, totalTokens: 13 },
  ],
];

test.each(STREAMED)('usage of a stream of $name', (format, events, usage) => {
  const counted = events.map(format.usageOfEvent).filter((one) => one !== undefined);
  expect(counted.reduce((known, next) => mergeUsage(known, next), mergeUsage(undefined, {}))).toMatchObject(usage);
});

test.each([
  [completions, { messages: [own] }],
  [completions, { model: 'm' }],
  [completions, { model: 'm', messages: [] }],
  [completions, { model: 'm', messages: ['x'] }],
  [messages, { model: 'm', messages: [{ content: 'x' }] }],
  [messages, { model: 'm', messages: 'x' }],
  [responses, { model: 'm' }],
  [responses, { model: 'm', input: [] }],
  [embeddings, { model: 'm' }],
])('not a request of $name: %j', (format, request) => {
  expect(format.requestProblem(request)).toEqual(expect.any(String));
});

test.each([
  [completions, { model: 'm', messages: [own] }],
  [messages, { model: 'm', messages: [own] }],
  [responses, { model: 'm', input: 'x' }],
  [responses, { model: 'm', previous_response_id: 'r' }],
  [embeddings, { model: 'm', input: ['x'] }],
])('a request of $name: %j', (format, request) => {
  expect(format.requestProblem(request)).toBeUndefined();
});

test('no format throws, whatever a body has in it', () => {
  const names = [
    'messages',
    'role',
    'content',
    'text',
    'type',
    'system',
    'input',
    'choices',
    'message',
    'usage',
    'output',
    'delta',
  ];
  const value = fc.object({ key: fc.constantFrom(...names), maxDepth: 5, withNullPrototype: false });
  fc.assert(
    fc.property(value, fc.constantFrom(...FORMATS), (body: Json, format) => {
      format.requestProblem(body);
      format.withPrompt(
        body,
        format.prompt(body).map(({ text: words }) => `${words}!`),
      );
      format.withCompletion(
        body,
        format.completion(body).map((words) => `${words}!`),
      );
      format.enrich(body, BEFORE, AFTER);
      format.toolCalls(body);
      expect(format.usage(body)?.totalTokens ?? 0).not.toBeNaN();
      format.usageOfEvent(body);
      format.responseModel(body);
    }),
  );
});

// docs/decisions/llm-backends.md: otherwise a client could switch off limits in tokens.
test.each([
  [{ stream: true }, { include_usage: true }],
  [{ stream: true, stream_options: null }, { include_usage: true }],
  [{ stream: true, stream_options: { include_usage: false } }, { include_usage: true }],
  [
    { stream: true, stream_options: { include_obfuscation: false } },
    { include_obfuscation: false, include_usage: true },
  ],
  [{ stream: false, stream_options: { include_usage: false } }, { include_usage: false }],
])('a stream of completions always asks for its tokens: %j', (request, options) => {
  expect(completions.askForTokens?.(request)).toMatchObject({ stream_options: options });
});

test('a request that asks for its tokens by itself stays as it is', () => {
  const request = { stream: true, stream_options: { include_usage: true } };
  expect(completions.askForTokens?.(request)).toBe(request);
});

test('tokens in a stream are hidden from who did not ask: the chunk of them goes, in others the member', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  expect(completions.withoutTokens?.(jsonEvent({ choices: [], usage }))).toBeUndefined();
  const kept = completions.withoutTokens?.(jsonEvent({ choices: [{ index: 0 }], usage }));
  expect(JSON.parse(kept?.data ?? '')).toEqual({ choices: [{ index: 0 }] });
  const silent = jsonEvent({ choices: [], usage: null });
  expect(completions.withoutTokens?.(silent)).toBe(silent);
});
