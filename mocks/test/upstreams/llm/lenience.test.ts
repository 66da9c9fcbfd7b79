import { expect, test } from 'vitest';
import { completionsProblem } from '../../../upstreams/llm/formats/completions/request.ts';
import { converseProblem } from '../../../upstreams/llm/formats/converse/request.ts';
import { generateContentProblem } from '../../../upstreams/llm/formats/generate-content/request.ts';
import { messagesProblem } from '../../../upstreams/llm/formats/messages/request.ts';
import { post, provider } from './support.ts';

// What real providers take, though it looks odd.

const use = (id: string): object => ({ type: 'tool_use', id, name: 'f', input: {} });
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: 'x' });

function messages(...turns: readonly (readonly [role: string, content: unknown])[]): string | undefined {
  const request = { model: 'm', max_tokens: 9, messages: turns.map(([role, content]) => ({ role, content })) };
  return messagesProblem(request)?.message;
}

test('results may be spread over turns of the user that follow each other', () => {
  const asked = [
    ['user', 'hi'],
    ['assistant', [use('a'), use('b')]],
  ] as const;
  expect(messages(...asked, ['user', [result('a')]], ['user', [result('b')]], ['user', 'and now'])).toBeUndefined();
  expect(messages(...asked, ['user', [result('a')]], ['assistant', 'x'], ['user', [result('b')]])).toContain('without');
  expect(messages(...asked, ['user', [result('a')]], ['user', 'and now'], ['user', [result('b')]])).toContain('first');
});

test('members of Converse that are not there may be null', () => {
  const request = { messages: [{ role: 'user', content: [{ text: 'hi' }] }], system: null, toolConfig: null };
  const inferenceConfig = { maxTokens: null, temperature: 0.5 };
  expect(converseProblem({ ...request, inferenceConfig, guardrailConfig: null })).toBeUndefined();
});

test('clients send a history as they got it, and tools with the members of their SDK', () => {
  const said = { role: 'assistant', content: 'hi', refusal: null, annotations: [] };
  expect(completionsProblem({ model: 'm', messages: [{ role: 'user', content: 'a' }, said] })).toBeUndefined();
  const tool = { name: 'f', input_schema: { type: 'object', additionalProperties: true }, eager_input_streaming: true };
  const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'a' }] };
  expect(messagesProblem({ ...request, tools: [tool] })).toBeUndefined();
});

test('invoke takes a body of any content type; its errors have their kind in a header', async () => {
  const mock = await provider({ format: 'Invoke' });
  const send = (body: string): Promise<Response> =>
    fetch(`http://${mock.host}:${mock.port}/model/m/invoke`, { method: 'POST', body: Buffer.from(body) });
  expect((await send('{"inputText":"hi"}')).status).toBe(200);
  const refused = await send('{}');
  expect([refused.status, refused.headers.get('x-amzn-errortype')]).toStrictEqual([400, 'ValidationException']);
});

test('a model that was told which tool to call stops, in a document and in a stream', async () => {
  const mock = await provider({ format: 'Completions', reply: { toolCalls: [{ name: 'f' }] } });
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const ask = async (choice: unknown, stream: boolean): Promise<string> => {
    const turns = [{ role: 'user', content: 'hi' }];
    return (
      await post(mock, '/v1/chat/completions', { model: 'm', messages: turns, tools, tool_choice: choice, stream })
    ).text();
  };
  const named = { type: 'function', function: { name: 'f' } };
  expect(await ask(named, false)).toContain('"finish_reason":"stop"');
  expect(await ask(named, true)).toContain('"finish_reason":"stop"');
  expect(await ask('required', true)).toContain('"finish_reason":"tool_calls"');
});

test('fields of native requests may have the names of their definitions, and what the client names itself keeps its own', () => {
  const parameters = {
    type: 'object',
    properties: { zip_code: { type: 'string', max_length: 5 } },
    required: ['zip_code'],
  };
  const request = {
    contents: [{ role: 'user', parts: [{ text: 'a' }, { inline_data: { mime_type: 'image/png', data: 'aGVsbG8=' } }] }],
    system_instruction: { parts: [{ text: 'b' }] },
    tools: [{ function_declarations: [{ name: 'f', parameters }] }],
    tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
    generation_config: { max_output_tokens: 5, topK: 3 },
  };
  expect(generateContentProblem(request)).toBeUndefined();
  expect(generateContentProblem({ ...request, max_output_tokens: 5 })?.message).toContain('maxOutputTokens');
  const renamed = { ...parameters, required: ['zipCode'] };
  expect(
    generateContentProblem({ ...request, tools: [{ function_declarations: [{ name: 'f', parameters: renamed }] }] }),
  ).toBeDefined();
});

test('a model that is asked for vectors of a type answers by type, and one that is not in a list', async () => {
  const mock = await provider({ format: 'Invoke' });
  const asked = { texts: ['hi'], input_type: 'search_query' };
  const [list, typed] = await Promise.all(
    [asked, { ...asked, embedding_types: ['float'] }].map(async (body) =>
      (await post(mock, '/model/cohere.embed-english-v3/invoke', body)).json(),
    ),
  );
  expect(list).toMatchObject({ embeddings: [expect.any(Array)], response_type: 'embeddings_floats' });
  expect(typed).toMatchObject({ embeddings: { float: [expect.any(Array)] }, response_type: 'embeddings_by_type' });
});

test('provider 5 takes its keys in their own field where it speaks Completions, and provider 1 does not', async () => {
  const mock = await provider({ format: 'Completions', key: 'k' });
  const ask = async (path: string, key: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-goog-api-key': key };
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    return (await fetch(`http://${mock.host}:${mock.port}${path}`, { method: 'POST', headers, body })).status;
  };
  expect(await ask('/v1beta/openai/chat/completions', 'k')).toBe(200);
  expect(await ask('/v1beta/openai/chat/completions', 'another')).toBe(401);
  expect(await ask('/v1/chat/completions', 'k')).toBe(401);
});
