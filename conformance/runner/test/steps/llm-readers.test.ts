import Anthropic from '@anthropic-ai/sdk';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { answerOf, streamedAnswerOf } from '../../steps/llm/read-answer.ts';
import { eventsOf } from '../../steps/llm/sse-events.ts';

/*
 * The `llm` step reads answers by itself, so that a case sees what came and not what a client made of it. Here the vendors'
 * own clients get the same bytes: both must come to the same text, calls, reason to stop and counts.
 */

const HOST = 'https://provider.example';
const server = setupServer();
// Looked up at each call: the clients would keep the `fetch` of before the server listens.
const asked: typeof fetch = (input, init) => fetch(input, init);
const openai = new OpenAI({ apiKey: 'k', baseURL: `${HOST}/v1`, maxRetries: 0, fetch: asked });
const anthropic = new Anthropic({ apiKey: 'k', baseURL: HOST, maxRetries: 0, fetch: asked });

beforeAll(() => {
  server.listen();
});
afterEach(() => {
  server.resetHandlers();
});
afterAll(() => {
  server.close();
});

const ASKED = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };

test('a chat completion with two calls of tools', async () => {
  const document = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm-1',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } },
            { id: 'b', type: 'function', function: { name: 'count', arguments: '{}' } },
          ],
        },
      },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12, prompt_tokens_details: { cached_tokens: 2 } },
  };
  server.use(http.post(`${HOST}/v1/chat/completions`, () => HttpResponse.json(document)));
  const theirs = await openai.chat.completions.create(ASKED);
  const ours = answerOf('Completions', document);

  const [choice] = theirs.choices;
  expect(ours).toEqual({
    model: theirs.model,
    text: choice?.message.content,
    finish: choice?.finish_reason,
    toolCalls: functionCalls(choice?.message.tool_calls ?? []),
    usage: {
      input: theirs.usage?.prompt_tokens,
      output: theirs.usage?.completion_tokens,
      total: theirs.usage?.total_tokens,
      cached: theirs.usage?.prompt_tokens_details?.cached_tokens,
    },
  });
});

test('a streamed chat completion whose calls come in turns', async () => {
  const call = (index: number, more: object): object => chunk({ tool_calls: [{ index, ...more }] });
  const text = sse([
    chunk({ role: 'assistant', content: 'Loo' }),
    chunk({ content: 'king' }),
    call(0, { id: 'a', type: 'function', function: { name: 'find', arguments: '' } }),
    call(1, { id: 'b', type: 'function', function: { name: 'count', arguments: '{"n"' } }),
    call(0, { function: { arguments: '{"q":"x"}' } }),
    call(1, { function: { arguments: ':1}' } }),
    chunk({}, 'tool_calls'),
    { ...chunk({}), choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } },
    '[DONE]',
  ]);
  server.use(http.post(`${HOST}/v1/chat/completions`, () => stream(text)));
  const theirs = await openai.chat.completions.stream(ASKED).finalChatCompletion();
  const ours = streamedAnswerOf('Completions', eventsOf(text));

  const [choice] = theirs.choices;
  expect(ours).toEqual({
    model: theirs.model,
    text: choice?.message.content,
    finish: choice?.finish_reason,
    toolCalls: functionCalls(choice?.message.tool_calls ?? []),
    usage: {
      input: theirs.usage?.prompt_tokens,
      output: theirs.usage?.completion_tokens,
      total: theirs.usage?.total_tokens,
    },
    terminated: true,
    endedWell: true,
  });
});

test('a streamed message with thinking, text and a call', async () => {
  const text = named([
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm-1',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 7, output_tokens: 1 },
      },
    },
    blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
    blockDelta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
    blockDelta(0, { type: 'signature_delta', signature: 's' }),
    blockStop(0),
    blockStart(1, { type: 'text', text: '' }),
    blockDelta(1, { type: 'text_delta', text: 'Loo' }),
    blockDelta(1, { type: 'text_delta', text: 'king' }),
    blockStop(1),
    blockStart(2, { type: 'tool_use', id: 'a', name: 'find', input: {} }),
    blockDelta(2, { type: 'input_json_delta', partial_json: '{"q":' }),
    blockDelta(2, { type: 'input_json_delta', partial_json: '"x"}' }),
    blockStop(2),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]);
  server.use(http.post(`${HOST}/v1/messages`, () => stream(text)));
  const theirs = await anthropic.messages.stream({ ...ASKED, max_tokens: 9 }).finalMessage();
  const ours = streamedAnswerOf('Messages', eventsOf(text));

  const parts = (type: string): string =>
    theirs.content.map((block) => (block.type === type ? partOf(block) : '')).join('');
  expect(ours).toEqual({
    model: theirs.model,
    text: parts('text'),
    reasoning: parts('thinking'),
    finish: theirs.stop_reason,
    toolCalls: theirs.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
    ),
    usage: { input: theirs.usage.input_tokens, output: theirs.usage.output_tokens },
    terminated: true,
    endedWell: true,
  });
});

test('a stream of responses may have [DONE] behind its end, and only there', () => {
  const end = { type: 'response.completed', response: { status: 'completed' } };
  const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'a' };
  expect(terminated([delta, end])).toBe(true);
  expect(terminated([delta, end, '[DONE]'])).toBe(true);
  expect(terminated([delta, '[DONE]'])).toBe(false);
  expect(terminated([delta, end, '[DONE]', '[DONE]'])).toBe(false);
});

test('a refusal of the provider is an error for both', async () => {
  const document = { error: { message: 'no such model', type: 'invalid_request_error', code: 'model_not_found' } };
  server.use(http.post(`${HOST}/v1/chat/completions`, () => HttpResponse.json(document, { status: 404 })));
  const theirs: unknown = await openai.chat.completions.create(ASKED).catch((error: unknown) => error);
  expect(theirs).toBeInstanceOf(OpenAI.NotFoundError);
  expect(answerOf('Completions', document).error).toEqual(document.error);
  expect(theirs).toMatchObject({ code: 'model_not_found', type: 'invalid_request_error' });
});

function chunk(delta: object, finish: string | null = null): object {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices };
}

function blockStart(index: number, block: object): object {
  return { type: 'content_block_start', index, content_block: block };
}

function blockDelta(index: number, piece: object): object {
  return { type: 'content_block_delta', index, delta: piece };
}

function blockStop(index: number): object {
  return { type: 'content_block_stop', index };
}

function functionCalls(calls: readonly OpenAI.Chat.ChatCompletionMessageToolCall[]): readonly object[] {
  return calls.flatMap((call) => {
    if (call.type !== 'function') return [];
    const said: unknown = JSON.parse(call.function.arguments);
    return [{ id: call.id, name: call.function.name, arguments: said }];
  });
}

function partOf(block: Anthropic.ContentBlock): string {
  if (block.type === 'text') return block.text;
  return block.type === 'thinking' ? block.thinking : '';
}

function sse(data: readonly (object | string)[]): string {
  return data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('');
}

function named(data: readonly object[]): string {
  return data
    .map((one) => `event: ${'type' in one ? String(one.type) : ''}\ndata: ${JSON.stringify(one)}\n\n`)
    .join('');
}

function stream(text: string): HttpResponse<string> {
  return new HttpResponse(text, { headers: { 'content-type': 'text/event-stream' } });
}

function terminated(data: readonly unknown[]): unknown {
  const events = data.map((one) => ({ data: one }));
  return streamedAnswerOf('Responses', events).terminated;
}
