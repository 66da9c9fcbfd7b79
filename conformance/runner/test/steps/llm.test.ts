import { describe, expect, onTestFinished, test } from 'vitest';
import { startPeers } from '../../peers/peers.ts';
import { eventsOf } from '../../steps/llm/sse-events.ts';
import { llmCall, llmInputSchema } from '../../steps/llm/llm-request.ts';
import { streamedAnswerOf } from '../../steps/llm/read-answer.ts';
import { stepKinds } from '../../steps/registry.ts';
import type { Observation, StepContext } from '../../steps/step.ts';
import { stepContext } from '../support/step-context.ts';

/** Runs a step against a peer of this script, without a proxy between. */
async function ask(
  peer: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
  more: Partial<StepContext> = {},
): Promise<Observation> {
  const peers = await startPeers({ llm: { kind: 'llm', ...peer } });
  onTestFinished(() => peers.stop());
  const { host, port } = peers.get('llm');
  const context = await stepContext({ data: { host, port } }, { peers, ...more });
  const seen = await stepKinds['llm']?.run({ model: 'm', ...input }, context);
  context.background.stop();
  return seen ?? {};
}

function bodyOf(input: Readonly<Record<string, unknown>>): unknown {
  const { parts } = llmCall(llmInputSchema.parse(input));
  return JSON.parse(Buffer.concat([...(parts ?? [])]).toString());
}

function headersOf(input: object): unknown {
  return llmCall(llmInputSchema.parse(input)).headers;
}

const USER = { role: 'user', content: 'hi' };

describe('what is sent', () => {
  test.each([
    [
      'Completions',
      { model: 'm', user: 'hi', system: 's', stream: true },
      { model: 'm', messages: [{ role: 'system', content: 's' }, USER], stream: true },
    ],
    [
      'Messages',
      { model: 'm', user: 'hi', system: 's' },
      { model: 'm', max_tokens: 1024, system: 's', messages: [USER] },
    ],
    [
      'Messages',
      { messages: [USER], body: { max_tokens: 3 }, stream: false },
      { max_tokens: 3, messages: [USER], stream: false },
    ],
    ['Responses', { model: 'm', user: 'hi', system: 's' }, { model: 'm', instructions: 's', input: 'hi' }],
    ['Responses', { messages: [USER], body: { input: 'x' } }, { input: 'x' }],
    ['Embeddings', { model: 'm', user: 'hi' }, { model: 'm', input: 'hi' }],
  ])('%s %j', (format, input, body) => {
    expect(bodyOf({ format, ...input })).toEqual(body);
  });

  test.each([
    [{ POST: '/x/chat/completions?a=/messages' }, '/x/chat/completions?a=/messages', 'messages'],
    [{ POST: '/v1/messages' }, '/v1/messages', 'max_tokens'],
    [{ POST: '/v1/responses' }, '/v1/responses', 'input'],
    [{ format: 'Embeddings' }, '/v1/embeddings', 'input'],
    [{ POST: '/messages', format: 'Responses' }, '/messages', 'input'],
    [{}, '/v1/chat/completions', 'messages'],
  ])('the format of %j', (input, path, member) => {
    expect(llmCall(llmInputSchema.parse(input)).path).toBe(path);
    expect(bodyOf(input)).toHaveProperty(member);
  });

  test('the credential stands where the format has it; the case replaces headers in any spelling', () => {
    expect(headersOf({ key: 'k' })).toEqual([
      ['content-type', 'application/json'],
      ['authorization', 'Bearer k'],
    ]);
    expect(headersOf({ format: 'Messages', key: 'k', headers: { 'Anthropic-Version': '1', 'x-a': 2 } })).toEqual([
      ['content-type', 'application/json'],
      ['x-api-key', 'k'],
      ['Anthropic-Version', '1'],
      ['x-a', '2'],
    ]);
  });

  test('user and messages exclude each other', () => {
    expect(llmInputSchema.safeParse({ user: 'a', messages: [] }).success).toBe(false);
  });
});

const SPOKEN = {
  reasoning: 'hm',
  text: 'one two',
  toolCalls: [
    { id: 'c1', name: 'f', arguments: { a: [1] } },
    { id: 'c2', name: 'g' },
  ],
  usage: { input: 40, output: 60, cached: 8, reasoning: 3 },
};

/** What every client reads, whatever the format. */
const READ = {
  status: 200,
  reasoning: 'hm',
  text: 'one two',
  toolCalls: [
    { id: 'c1', name: 'f', arguments: { a: [1] } },
    { id: 'c2', name: 'g', arguments: {} },
  ],
  model: 'm',
  usage: { input: 40, output: 60, cached: 8 },
};

describe('what is read', () => {
  test.each([
    ['Completions', 'tool_calls', { stream_options: { include_usage: true } }],
    ['Messages', 'tool_use', {}],
    ['Responses', 'completed', {}],
  ])('the same from a document and from a stream: %s', async (format, finish, options) => {
    const whole = await ask({ reply: SPOKEN }, { format });
    expect(whole).toMatchObject({ ...READ, finish });
    expect(whole).not.toHaveProperty('terminated');
    const streamed = await ask({ reply: SPOKEN }, { format, stream: true, body: options });
    expect(streamed).toMatchObject({ ...READ, finish, terminated: true });
    expect(streamed['usage']).toEqual(format === 'Messages' ? { ...READ.usage, cacheWrite: 0 } : whole['usage']);
  });

  test('tokens of embeddings, and the document', async () => {
    const seen = await ask({ reply: { usage: { input: 5, output: 0 } } }, { format: 'Embeddings', user: 'a' });
    expect(seen).toMatchObject({ usage: { input: 5, total: 5 }, json: { object: 'list' } });
  });

  test.each([
    ['Completions', { code: 'x', message: 'no' }],
    ['Messages', { type: 'api_error', message: 'no' }],
    ['Responses', { code: 'x', message: 'no' }],
  ])('an error, from a document and from the middle of a stream: %s', async (format, error) => {
    const script = { message: 'no', code: 'x' };
    expect(await ask({ reply: { status: 500, error: script } }, { format })).toMatchObject({ status: 500, error });
    const broken = await ask({ reply: { stream: [{ delta: 'a' }, { error: script }] } }, { format, stream: true });
    expect(broken).toMatchObject({ status: 200, text: 'a', error, terminated: false, complete: true });
  });

  test('a connection that breaks, and a stream without its end', async () => {
    const gone = await ask({ reply: { stream: [{ delta: 'a' }, { disconnect: true }] } }, { stream: true });
    expect(gone).toMatchObject({
      text: 'a',
      terminated: false,
      complete: false,
    });
    expect(gone['failure']).toMatch(/^(closed|reset)$/);
    const cut = await ask({ reply: { stream: [{ delta: 'a' }, { end: true }] } }, { stream: true });
    expect(cut).toMatchObject({ text: 'a', terminated: false, complete: true });
    expect(cut).not.toHaveProperty('finish');
  });

  test('events open gates while they come', async () => {
    const stream = [{ delta: 'a' }, { gate: 'one' }, { delta: 'b' }, { gate: 'two', giveUp: '1ms' }];
    const seen = await ask({ reply: { stream } }, { stream: true }, { on: [{ event: 1, open: 'one' }] });
    expect(seen).toMatchObject({ text: 'ab', gates: { one: 'opened', two: 'gave-up' } });
  });

  test('nothing from what is no answer of the format', async () => {
    expect(await ask({ reply: { body: 'oops' } }, {})).toMatchObject({ status: 200, body: 'oops' });
    const odd = await ask(
      { reply: { stream: [{ data: 'no json' }, { data: { choices: 3 } }, { end: true }] } },
      { stream: true },
    );
    expect(odd['events']).toEqual([{ data: 'no json' }, { data: { choices: 3 } }]);
    expect(odd).not.toHaveProperty('text');
  });
});

describe('events', () => {
  test('end with any line ends; comments, retries and an unfinished event are none', () => {
    expect(eventsOf(': c\n\nevent: a\r\ndata: {"x":\r\ndata: 1}\r\n\r\ndata:y\r\rretry: 3\n\ndata: lost')).toEqual([
      { event: 'a', data: { x: 1 } },
      { data: 'y' },
    ]);
  });

  test('the last one decides whether the stream was brought to its end', () => {
    const events = [{ data: '[DONE]' }, { data: { choices: [] } }];
    expect(streamedAnswerOf('Completions', events).terminated).toBe(false);
    expect(streamedAnswerOf('Completions', events.toReversed()).terminated).toBe(true);
  });

  test('a stream that told of an error has not ended well, whatever came behind it', () => {
    const events = [{ data: { choices: [] } }, { data: '[DONE]' }];
    expect(streamedAnswerOf('Completions', events)).toMatchObject({ terminated: true, endedWell: true });
    expect(streamedAnswerOf('Completions', events.slice(0, 1))).toMatchObject({ terminated: false, endedWell: false });
    const told = [{ data: { error: { message: 'overloaded' } } }, ...events];
    expect(streamedAnswerOf('Completions', told)).toMatchObject({ terminated: true, endedWell: false });
    const failed = [{ data: { type: 'response.failed', response: { error: { message: 'overloaded' } } } }];
    expect(streamedAnswerOf('Responses', failed)).toMatchObject({ terminated: true, endedWell: false });
  });
});
