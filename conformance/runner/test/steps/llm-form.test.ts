import { describe, expect, onTestFinished, test } from 'vitest';
import { startPeers } from '../../peers/peers.ts';
import { documentLacks, eventLacks } from '../../steps/llm/form/lacks.ts';
import { answerOf } from '../../steps/llm/read-answer.ts';
import type { SeenEvent } from '../../steps/llm/sse-events.ts';
import { stepKinds } from '../../steps/registry.ts';
import { stepContext } from '../support/step-context.ts';

const FORMATS = ['Completions', 'Messages', 'Responses', 'Embeddings'] as const;

const REPLY = {
  reasoning: 'They greet me',
  text: 'Good day',
  toolCalls: [{ id: 'c1', name: 'weather', arguments: { city: 'Oslo' } }],
  usage: { input: 4, output: 6, cached: 1, reasoning: 2 },
};

/** What the answer of a provider of this format lacks. */
async function lacksOf(format: string, reply: object, more: object = {}): Promise<unknown> {
  const peers = await startPeers({ llm: { kind: 'llm', format, reply } });
  onTestFinished(() => peers.stop());
  const { host, port } = peers.get('llm');
  const context = await stepContext({ data: { host, port } }, { peers });
  const input = { model: 'm', format, ...more };
  const seen = (await stepKinds['llm']?.run(input, context)) ?? {};
  context.background.stop();
  return seen['lacks'];
}

describe('what our provider says is whole', () => {
  test.each(FORMATS)('a document of %s', async (format) => {
    expect(await lacksOf(format, REPLY)).toEqual([]);
  });

  test.each(['Completions', 'Messages', 'Responses'])('a stream of %s', async (format) => {
    expect(await lacksOf(format, REPLY, { stream: true })).toEqual([]);
  });
});

test('what it lacks is named', async () => {
  const reply = {
    with: { object: 'text', choices: [{ message: { role: 'user', content: 'x' }, finish_reason: 'stop' }] },
  };
  expect(await lacksOf('Completions', reply)).toEqual([
    'object: expected "chat.completion"',
    'choices[0].index: expected number, received undefined',
    'choices[0].message.role: expected "assistant"',
  ]);
});

test('a refusal is no answer of the format', async () => {
  expect(await lacksOf('Completions', { status: 429 })).toBeUndefined();
});

test('of the blocks, items and parts of several kinds each is held against its own', () => {
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'tool_use',
    stop_sequence: null,
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const content = [{ type: 'text', text: 'a' }, { type: 'tool_use', name: 'f', input: {} }, { type: 'of_tomorrow' }];
  expect(documentLacks('Messages', { ...message, usage, content })).toEqual([
    'content[1].id: expected string, received undefined',
  ]);
});

test('chunks of one stream have one id, and clients of messages want named events', () => {
  expect(eventLacks('Completions', [chunk('a'), chunk('a'), { data: '[DONE]' }])).toEqual([]);
  expect(eventLacks('Completions', [chunk('a'), chunk('b')])).toEqual(['events: the chunks have several ids: a, b']);
  expect(eventLacks('Messages', [{ data: { type: 'message_stop' } }])).toEqual([
    'events[0].data.type: the event is named nothing',
  ]);
  expect(
    eventLacks('Messages', [{ event: 'error', data: { type: 'error', error: { type: 'x', message: 'y' } } }]),
  ).toEqual([]);
});

test('vectors are read from numbers and from base64', () => {
  const base64 = Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64');
  const data = [{ embedding: [0.5, -1] }, { embedding: base64 }];
  expect(answerOf('Embeddings', { data }).vectors).toEqual([
    [0.5, -1],
    [0.5, -1],
  ]);
});

function chunk(id: string): SeenEvent {
  return { data: { id, object: 'chat.completion.chunk', created: 1, model: 'm', choices: [] } };
}
