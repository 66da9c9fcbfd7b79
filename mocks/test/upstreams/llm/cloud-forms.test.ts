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
  ['calls and results', 'GenerateContent', { contents: [TURN, CALL, turnOfResults('f', 'g')] }],
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
  ['a model', 'GenerateContent', { model: 'm', contents: [TURN] }],
  ['a role of another format', 'GenerateContent', { contents: [{ ...TURN, role: 'assistant' }] }],
  [
    'no text',
    'GenerateContent',
    { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] }] },
  ],
  [
    'image/jpg',
    'GenerateContent',
    { contents: [{ role: 'user', parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/jpg', data: 'AA==' } }] }] },
  ],
  ['results in another order', 'GenerateContent', { contents: [TURN, CALL, turnOfResults('g', 'f')] }],
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

test('an API key is no access token', () => {
  const { headerProblem } = llmFormats.GenerateContent;
  expect(headerProblem({ authorization: 'Bearer AIza-1' }, undefined)).toMatchObject({ status: 401 });
  expect(headerProblem({ 'x-goog-api-key': 'AIza-1' }, 'AIza-1')).toBeUndefined();
  expect(headerProblem({ authorization: 'Bearer ya29' }, 'ya29')).toBeUndefined();
  expect(headerProblem({ 'x-goog-api-key': 'AIza-2' }, 'AIza-1')).toMatchObject({ status: 400 });
});

test.each(['/v1beta/models/m:generateContent', '/v1/models/m:generateContent'])(
  'both versions of provider 5 are there: %s',
  (path) => {
    expect(llmFormats.GenerateContent.at?.(path)).toEqual({ model: 'm', streaming: false });
  },
);
