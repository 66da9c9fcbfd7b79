import { expect, test } from 'vitest';
import { llmFormats } from '../../../upstreams/llm/formats/registry.ts';

const TURN = { role: 'user', parts: [{ text: 'hi' }] };
const CALL = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }, { functionCall: { name: 'g' } }] };
const turnOfResults = (...names: string[]): object => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: {} } })),
});
const CONVERSE_TURN = { role: 'user', content: [{ text: 'hi' }] };
const tools = [{ functionDeclarations: [{ name: 'f' }] }];

test.each<[name: string, format: keyof typeof llmFormats, body: Record<string, unknown>]>([
  ['least', 'GenerateContent', { contents: [TURN] }],
  ['the model that the path names too', 'GenerateContent', { model: 'models/m', contents: [TURN] }],
  ['a turn of anybody', 'GenerateContent', { contents: [{ parts: [{ text: 'hi' }] }] }],
  [
    'a picture alone',
    'GenerateContent',
    { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] }] },
  ],
  [
    'the names of the definition',
    'GenerateContent',
    {
      contents: [{ role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AA==' } }] }],
      system_instruction: { parts: [{ text: 'a' }] },
      generation_config: { max_output_tokens: 5 },
      tools: [
        {
          function_declarations: [
            { name: 'f', parameters: { type: 'object', properties: { in_snake: { any_of: [{ type: 'string' }] } } } },
          ],
        },
      ],
    },
  ],
  [
    'a schema of any kind',
    'GenerateContent',
    {
      contents: [TURN],
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { additionalProperties: false } }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: { const: 1 } },
    },
  ],
  ['calls and results', 'GenerateContent', { contents: [TURN, CALL, turnOfResults('f', 'g')] }],
  ['results in another order', 'GenerateContent', { contents: [TURN, CALL, turnOfResults('g', 'f')] }],
  ['one object for a list of one', 'GenerateContent', { contents: { role: 'user', parts: { text: 'hi' } } }],
  [
    'results of a function',
    'GenerateContent',
    { contents: [TURN, CALL, { ...turnOfResults('f', 'g'), role: 'function' }] },
  ],
  [
    'a function to call',
    'GenerateContent',
    { contents: [TURN], tools, toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } } },
  ],
  ['least', 'Predict', { instances: [{ content: 'a' }] }],
  ['least', 'Rank', { query: 'q', records: [{ id: '0', content: 'a' }] }],
  ['least', 'Rerank', { model: 'm', query: 'q', documents: ['a'] }],
  ['least', 'TokenCount', { model: 'm', messages: [{ role: 'user', content: 'hi' }] }],
  [
    'least',
    'RawPredict',
    { anthropic_version: 'vertex-2023-10-16', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
  ],
  [
    'least',
    'RawPredictCount',
    { anthropic_version: 'vertex-2023-10-16', model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  ],
  ['what Converse would be asked', 'CountTokens', { input: { converse: { messages: [CONVERSE_TURN] } } }],
])('%s of %s is taken', (_, format, body) => {
  expect(llmFormats[format].bodyProblem(body)).toBeUndefined();
});

test.each<[name: string, format: keyof typeof llmFormats, body: Record<string, unknown>]>([
  ['a role of another format', 'GenerateContent', { contents: [{ ...TURN, role: 'assistant' }] }],
  [
    'image/jpg',
    'GenerateContent',
    { contents: [{ role: 'user', parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/jpg', data: 'AA==' } }] }] },
  ],
  ['results of another function', 'GenerateContent', { contents: [TURN, CALL, turnOfResults('f', 'h')] }],
  ['a missing result', 'GenerateContent', { contents: [TURN, CALL, turnOfResults('f')] }],
  [
    'text beside results',
    'GenerateContent',
    {
      contents: [
        TURN,
        CALL,
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }, { text: 'a' }] },
      ],
    },
  ],
  [
    'an unknown keyword',
    'GenerateContent',
    {
      contents: [TURN],
      tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'object', additionalProperties: false } }] }],
    },
  ],
  [
    'an unknown function',
    'GenerateContent',
    { contents: [TURN], tools, toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['x'] } } },
  ],
  [
    'cache and system',
    'GenerateContent',
    { contents: [TURN], cachedContent: 'c', systemInstruction: { parts: [{ text: 'a' }] } },
  ],
  ['an unknown task', 'Predict', { instances: [{ content: 'a', task_type: 'QUERY' }] }],
  ['a number as id', 'Rank', { query: 'q', records: [{ id: 0, content: 'a' }] }],
  ['no documents', 'Rerank', { model: 'm', query: 'q', documents: [] }],
  [
    'a limit of tokens',
    'CountTokens',
    { input: { converse: { messages: [CONVERSE_TURN], inferenceConfig: { maxTokens: 5 } } } },
  ],
  ['a limit of tokens', 'TokenCount', { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }],
  [
    'a model',
    'RawPredict',
    { anthropic_version: 'vertex-2023-10-16', model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
  ],
  ['no version', 'RawPredict', { max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }],
])('%s in %s is refused', (_, format, body) => {
  expect(llmFormats[format].bodyProblem(body)).toMatchObject({ status: 400 });
});

test('an API key is no access token, and stands in a header or in the query', () => {
  const { headerProblem, path } = llmFormats.GenerateContent;
  expect(headerProblem({ authorization: 'Bearer AIza-1' }, undefined, path)).toBeUndefined();
  expect(headerProblem({ 'x-goog-api-key': 'AIza-1' }, 'AIza-1', path)).toBeUndefined();
  expect(headerProblem({ authorization: 'Bearer ya29' }, 'ya29', path)).toBeUndefined();
  expect(headerProblem({ 'x-goog-api-key': 'AIza-2' }, 'AIza-1', path)).toMatchObject({ status: 400 });
  expect(headerProblem({}, 'AIza-1', `${path}?key=AIza-1`)).toBeUndefined();
  expect(headerProblem({}, 'AIza-1', `${path}?key=AIza-2`)).toMatchObject({ status: 400 });
});

test('a stream of provider 5 is one list unless events are asked for', () => {
  const said = { texts: ['ab'], reasoning: '', calls: [], tokens: undefined, finish: 'stop', models: [] };
  const written = (target: string): string => {
    const writer = llmFormats.GenerateContent.stream?.(said, {}, 'm', target);
    return `${String(writer?.write({ delta: 'a' }))}${String(writer?.write({ delta: 'b' }))}${String(writer?.end())}`;
  };
  const events = written('/v1beta/models/m:streamGenerateContent?alt=sse').split('\n\n').slice(0, -1);
  const list: unknown = JSON.parse(written('/v1beta/models/m:streamGenerateContent?key=k'));
  expect(list).toEqual(events.map((event) => JSON.parse(event.replace('data: ', '')) as unknown));
  expect(list).toMatchObject([
    { candidates: [{ content: { parts: [{ text: 'a' }] } }] },
    { candidates: [{ content: { parts: [{ text: 'b' }] } }] },
    { candidates: [{ finishReason: 'STOP' }] },
  ]);
});

test.each(['/v1beta/models/m:generateContent', '/v1/models/m:generateContent'])(
  'both versions of provider 5 are there: %s',
  (path) => {
    expect(llmFormats.GenerateContent.at?.(path)).toEqual({ model: 'm', streaming: false });
  },
);
