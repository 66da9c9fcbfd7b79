import { describe, expect, test } from 'vitest';
import type { Mock } from '../../../mock.ts';
import { HEADERS, post, provider } from './support.ts';

const COMPLETIONS = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const RESPONSES = '/v1/responses';
const EMBEDDINGS = '/v1/embeddings';

const USER = { role: 'user', content: 'hi' };
const TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const USE = { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] };
const RESULT = { type: 'tool_result', tool_use_id: 'c', content: '1' };
const ITEM_CALL = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
const ITEM_OUTPUT = { type: 'function_call_output', call_id: 'c', output: '1' };

/** The least each format takes. */
const LEAST: Readonly<Record<string, object>> = {
  [COMPLETIONS]: { model: 'm', messages: [USER] },
  [MESSAGES]: { model: 'm', max_tokens: 10, messages: [USER] },
  [RESPONSES]: { model: 'm', input: 'hi' },
  [EMBEDDINGS]: { model: 'm', input: 'hi' },
};

/** Members over the least request that the provider takes. */
const TAKEN: readonly (readonly [name: string, path: string, members: object])[] = [
  ['least', COMPLETIONS, {}],
  [
    'every role',
    COMPLETIONS,
    {
      messages: [{ role: 'developer', content: 'd' }, { role: 'system', content: [{ type: 'text', text: 's' }] }, USER],
    },
  ],
  [
    'a call and its answer',
    COMPLETIONS,
    {
      messages: [
        USER,
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'c', content: '1' },
      ],
      tools: [TOOL],
    },
  ],
  [
    'an image',
    COMPLETIONS,
    {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } }] }],
    },
  ],
  [
    'limits and choices',
    COMPLETIONS,
    {
      max_completion_tokens: 5,
      stop: ['a'],
      n: 2,
      temperature: 2,
      tools: [TOOL],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
    },
  ],
  [
    'a schema',
    COMPLETIONS,
    { response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } }, reasoning_effort: 'high' },
  ],
  ['least', MESSAGES, {}],
  [
    'blocks',
    MESSAGES,
    {
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aaaa' } }],
        },
      ],
    },
  ],
  [
    'a use and its result',
    MESSAGES,
    { messages: [USER, USE, { role: 'user', content: [RESULT, { type: 'text', text: 'go on' }] }] },
  ],
  [
    'thinking',
    MESSAGES,
    {
      max_tokens: 2000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      stop_sequences: ['x'],
      metadata: { user_id: 'u' },
    },
  ],
  [
    'tools',
    MESSAGES,
    {
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    },
  ],
  ['least', RESPONSES, {}],
  [
    'items',
    RESPONSES,
    {
      instructions: 'i',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b', annotations: [] }] },
        ITEM_CALL,
        ITEM_OUTPUT,
      ],
    },
  ],
  [
    'limits and tools',
    RESPONSES,
    {
      max_output_tokens: 16,
      reasoning: { effort: 'low' },
      tools: [{ type: 'function', name: 'f', parameters: {} }],
      tool_choice: 'required',
      text: { format: { type: 'json_object' } },
    },
  ],
  ['least', EMBEDDINGS, {}],
  ['token ids', EMBEDDINGS, { input: [[1, 2], [3]], dimensions: 8 }],
];

/** Members over the least request that the provider refuses, and a word of the reason. */
const REFUSED: readonly (readonly [name: string, path: string, members: object, reason: string])[] = [
  ['a member of Messages', COMPLETIONS, { system: 's' }, "Unknown parameter: 'system'"],
  ['the limit of Responses', COMPLETIONS, { max_output_tokens: 20 }, "'max_output_tokens'"],
  ['stop_sequences', COMPLETIONS, { stop_sequences: ['a'] }, "'stop_sequences'"],
  ['an unknown role', COMPLETIONS, { messages: [{ role: 'model', content: 'a' }] }, 'messages[0].role'],
  ['no messages', COMPLETIONS, { messages: undefined }, "Missing required parameter: 'messages'"],
  ['no model', COMPLETIONS, { model: undefined }, "Missing required parameter: 'model'"],
  ['a text for a number', COMPLETIONS, { temperature: '1' }, "'temperature'"],
  [
    'blocks of Messages',
    COMPLETIONS,
    { messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] },
    'messages[0].content[0]',
  ],
  [
    'cache_control',
    COMPLETIONS,
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] }] },
    'cache_control',
  ],
  ['tools of Messages', COMPLETIONS, { tools: [{ name: 'f', input_schema: { type: 'object' } }] }, 'tools[0]'],
  ['a tool choice of Messages', COMPLETIONS, { tools: [TOOL], tool_choice: { type: 'any' } }, 'tool_choice'],
  ['a tool choice without tools', COMPLETIONS, { tool_choice: 'auto' }, 'tool_choice'],
  [
    'arguments as an object',
    COMPLETIONS,
    { messages: [{ role: 'assistant', tool_calls: [{ ...CALL, function: { name: 'f', arguments: {} } }] }] },
    'arguments',
  ],
  ['a call without answer', COMPLETIONS, { messages: [{ role: 'assistant', tool_calls: [CALL] }, USER] }, 'c'],
  [
    'an answer without call',
    COMPLETIONS,
    { messages: [USER, { role: 'tool', tool_call_id: 'c', content: '1' }] },
    'messages[1]',
  ],
  ['stream options without stream', COMPLETIONS, { stream_options: { include_usage: true } }, 'stream_options'],
  ['the old limit of a reasoning model', COMPLETIONS, { model: 'gpt-5-mini', max_tokens: 5 }, 'max_tokens'],
  ['both limits', COMPLETIONS, { max_tokens: 5, max_completion_tokens: 5 }, 'max_tokens'],
  ['no limit', MESSAGES, { max_tokens: undefined }, "'max_tokens'"],
  ['a limit of Completions', MESSAGES, { max_completion_tokens: 5 }, "'max_completion_tokens'"],
  ['a leading system message', MESSAGES, { messages: [{ role: 'system', content: 's' }, USER] }, 'system'],
  [
    'a tool message',
    MESSAGES,
    { messages: [USER, { role: 'tool', tool_call_id: 'c', content: '1' }] },
    'messages[1].role',
  ],
  [
    'an image of Completions',
    MESSAGES,
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/' } }] }] },
    'messages[0].content[0]',
  ],
  ['an empty text', MESSAGES, { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }, 'empty'],
  ['stop', MESSAGES, { stop: ['a'] }, "'stop'"],
  ['stream options', MESSAGES, { stream: true, stream_options: { include_usage: true } }, "'stream_options'"],
  ['a tool of Completions', MESSAGES, { tools: [TOOL] }, 'tools[0]'],
  ['a temperature of Completions', MESSAGES, { temperature: 1.5 }, 'temperature'],
  [
    'input as text',
    MESSAGES,
    { messages: [USER, { role: 'assistant', content: [{ ...USE.content[0], input: '{}' }] }] },
    'input',
  ],
  ['a use without result', MESSAGES, { messages: [USER, USE, USER] }, 'messages[1]'],
  ['a result without use', MESSAGES, { messages: [{ role: 'user', content: [RESULT] }] }, 'tool_result'],
  [
    'a result after a text',
    MESSAGES,
    { messages: [USER, USE, { role: 'user', content: [{ type: 'text', text: 'a' }, RESULT] }] },
    'first',
  ],
  [
    'more thoughts than tokens',
    MESSAGES,
    { max_tokens: 1024, thinking: { type: 'enabled', budget_tokens: 1024 } },
    'budget_tokens',
  ],
  ['messages', RESPONSES, { messages: [USER] }, "'messages'"],
  ['a limit of Completions', RESPONSES, { max_tokens: 50 }, "'max_tokens'"],
  ['a limit that is too low', RESPONSES, { max_output_tokens: 15 }, 'max_output_tokens'],
  ['a tool of Completions', RESPONSES, { tools: [TOOL] }, 'tools[0]'],
  [
    'input parts of the assistant',
    RESPONSES,
    { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }] },
    'input[0]',
  ],
  [
    'text parts of Completions',
    RESPONSES,
    { input: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] },
    'input[0]',
  ],
  ['a tool role', RESPONSES, { input: [{ role: 'tool', content: 'a' }] }, 'input[0]'],
  ['an output without call', RESPONSES, { input: [ITEM_OUTPUT] }, 'No tool call found'],
  ['a call without output', RESPONSES, { input: [ITEM_CALL] }, 'No tool output found'],
  ['messages', EMBEDDINGS, { messages: [USER] }, "'messages'"],
  ['an empty input', EMBEDDINGS, { input: '' }, "'input'"],
];

async function errorOf(answer: Response): Promise<string> {
  const json: unknown = await answer.json();
  return JSON.stringify(json);
}

describe('a body', () => {
  test.each(TAKEN)('is taken: %s at %s', async (_, path, members) => {
    const answer = await post(await provider(), path, { ...LEAST[path], ...members });
    expect([answer.status, answer.ok ? '' : await errorOf(answer)]).toEqual([200, '']);
  });

  test.each(REFUSED)('is refused: %s at %s', async (_, path, members, reason) => {
    const answer = await post(await provider(), path, { ...LEAST[path], ...members });
    expect(answer.status).toBe(400);
    const error = await errorOf(answer);
    expect(error).toContain(reason.replaceAll('"', '\\"'));
    expect(error).toContain('invalid_request_error');
  });

  test('may have the members the script names', async () => {
    const mock = await provider({ extra: ['safety'] });
    const body = { ...LEAST[COMPLETIONS], safety: 1 };
    expect((await post(mock, COMPLETIONS, body)).status).toBe(200);
    expect((await post(mock, COMPLETIONS, { ...body, other: 1 })).status).toBe(400);
  });
});

describe('headers', () => {
  test.each([
    ['no credential', COMPLETIONS, {}, 401],
    ['the header of Messages', COMPLETIONS, { 'x-api-key': 'k' }, 401],
    ['no bearer', COMPLETIONS, { authorization: 'k' }, 401],
    ['no key', MESSAGES, { 'anthropic-version': '2023-06-01' }, 401],
    ['a bearer key', MESSAGES, { 'anthropic-version': '2023-06-01', authorization: 'Bearer k' }, 200],
    ['no version', MESSAGES, { 'x-api-key': 'k' }, 400],
    ['an unknown version', MESSAGES, { 'x-api-key': 'k', 'anthropic-version': 'v1' }, 400],
  ])('%s at %s', async (_, path, headers, status) => {
    const answer = await post(await provider({ key: 'k' }), path, LEAST[path], headers);
    expect(answer.status).toBe(status);
  });

  test('only the key of the script is good; without one none is asked for', async () => {
    const strict = await provider({ format: 'Completions', key: 'secret' });
    expect((await post(strict, COMPLETIONS, LEAST[COMPLETIONS])).status).toBe(401);
    expect((await post(strict, COMPLETIONS, LEAST[COMPLETIONS], { authorization: 'Bearer secret' })).status).toBe(200);
    const open = await provider();
    expect((await post(open, COMPLETIONS, LEAST[COMPLETIONS], {})).status).toBe(200);
    expect((await post(open, MESSAGES, LEAST[MESSAGES], {})).status).toBe(400);
  });
});

describe('the place', () => {
  test('of another format is not there', async () => {
    const mock = await provider({ format: 'Messages' });
    const answer = await post(mock, COMPLETIONS, LEAST[COMPLETIONS], HEADERS[MESSAGES]);
    expect([answer.status, await errorOf(answer)]).toEqual([404, expect.stringContaining('not_found_error')]);
  });

  test('is the one of the script, with its query', async () => {
    const mock = await provider({ format: 'Completions', path: '/d/chat?v=1' });
    const statusAt = async (path: string): Promise<number> => (await post(mock, path, LEAST[COMPLETIONS])).status;
    expect(await statusAt('/d/chat?v=1')).toBe(200);
    expect(await statusAt('/d/chat')).toBe(404);
    expect(await statusAt(COMPLETIONS)).toBe(404);
  });

  test('takes POST and JSON only', async () => {
    const mock = await provider();
    const headers = { authorization: 'Bearer k' };
    expect((await fetch(urlOf(mock), { headers })).status).toBe(405);
    expect((await fetch(urlOf(mock), { method: 'POST', headers, body: '{}' })).status).toBe(415);
    const json = { ...headers, 'content-type': 'application/json' };
    expect((await fetch(urlOf(mock), { method: 'POST', headers: json, body: '[1' })).status).toBe(400);
  });
});

function urlOf(mock: Mock): string {
  return `http://${mock.host}:${mock.port}${COMPLETIONS}`;
}
