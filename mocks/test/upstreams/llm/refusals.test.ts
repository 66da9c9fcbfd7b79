import { expect, test } from 'vitest';
import { converseProblem } from '../../../upstreams/llm/formats/converse/request.ts';
import { generateContentProblem } from '../../../upstreams/llm/formats/generate-content/request.ts';
import { messagesProblem } from '../../../upstreams/llm/formats/messages/request.ts';

// What real providers refuse, though its form is right.

function generate(schema: object): string | undefined {
  const functionDeclarations = [{ name: 'f', parameters: { type: 'object', properties: { a: schema } } }];
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  return generateContentProblem({ contents, tools: [{ functionDeclarations }] })?.message;
}

test.each([
  [{ type: 'string', format: 'uri' }, 'format'],
  [{ type: 'integer', enum: [1, 2] }, 'enum'],
  [{ enum: ['a'] }, 'type'],
  [{ type: 'object', properties: {}, required: ['b'] }, 'required[0]'],
  [{ type: 'string', required: ['b'] }, 'only allowed for OBJECT'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }], description: 'd' }, 'alongside any_of'],
  [{ type: 'array' }, 'items'],
])('a native schema %j is refused for its %s', (schema, word) => {
  expect(generate(schema)).toContain(word);
});

test.each([
  { type: 'string', format: 'date-time' },
  { type: 'string', enum: ['a'] },
  { type: 'array', items: { type: 'string' } },
  { type: 'integer', format: 'int64' },
  { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
  { anyOf: [{ type: 'string' }, { type: 'number' }] },
])('a native schema %j is taken', (schema) => {
  expect(generate(schema)).toBeUndefined();
});

test('the parameters of a native function are an object', () => {
  const functionDeclarations = [{ name: 'f', parameters: { type: 'string' } }];
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  expect(generateContentProblem({ contents, tools: [{ functionDeclarations }] })?.message).toContain('OBJECT');
});

const MESSAGES = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: '1' }] },
];
const TOOLS = [{ name: 'f', input_schema: { type: 'object' } }];

test.each([
  [{ temperature: 0.5 }, 'temperature'],
  [{ top_k: 5 }, 'top_k'],
  [{ top_p: 0.9 }, 'top_p'],
  [{ tools: TOOLS, tool_choice: { type: 'any' } }, 'forces tool use'],
  [{ messages: MESSAGES, tools: TOOLS }, 'must start with'],
])('a model that thinks is not asked with %j', (members, word) => {
  const request = { model: 'm', max_tokens: 3000, messages: MESSAGES.slice(0, 1), ...members };
  expect(messagesProblem(request)).toBeUndefined();
  const thinking = { type: 'enabled', budget_tokens: 2000 };
  expect(messagesProblem({ ...request, thinking })?.message).toContain(word);
});

test('an object that may have other members is no schema of an answer or of a strict tool', () => {
  const request = { model: 'm', max_tokens: 9, messages: MESSAGES.slice(0, 1) };
  const ask = (schema: object): string | undefined =>
    messagesProblem({ ...request, output_config: { format: { type: 'json_schema', schema } } })?.message;
  expect(ask({ type: 'object', additionalProperties: true })).toContain('additionalProperties');
  expect(ask({ type: 'object' })).toContain('additionalProperties');
  expect(ask({ type: 'object', additionalProperties: false })).toBeUndefined();
  expect(ask({ type: 'array', items: { type: 'integer', minimum: 1 } })).toContain('minimum');
  expect(ask({ anyOf: [{ type: 'string', maxLength: 1 }] })).toContain('maxLength');
  expect(ask({ type: 'array', minItems: 2 })).toContain('minItems');
  expect(ask({ type: 'array', minItems: 1 })).toBeUndefined();
  const minimum = { type: 'object', properties: { minimum: { type: 'string' } }, additionalProperties: false };
  expect(ask(minimum)).toBeUndefined();
  expect(messagesProblem({ ...request, tools: [{ ...TOOLS[0], strict: true }] })?.message).toContain('additional');
});

const ENDLESS = {
  type: 'object',
  additionalProperties: false,
  properties: { a: { $ref: '#/$defs/a' } },
  $defs: { a: { items: { $ref: '#/$defs/a' } } },
};

test('no schema of an answer contains itself', () => {
  const request = { model: 'm', max_tokens: 9, messages: MESSAGES.slice(0, 1) };
  const ask = (schema: object): string | undefined =>
    messagesProblem({ ...request, output_config: { format: { type: 'json_schema', schema } } })?.message;
  expect(ask(ENDLESS)).toContain('Recursive');
  expect(ask({ ...ENDLESS, $defs: { a: { type: 'string' } } })).toBeUndefined();
});

test.each([
  [{ outputConfig: schemaConfig({ type: 'object' }) }, 'additionalProperties'],
  [{ outputConfig: schemaConfig(ENDLESS) }, 'Recursive'],
  [{ inferenceConfig: { stopSequences: ['\n'] } }, 'blank'],
  [{ inferenceConfig: { temperature: 1.5 } }, 'inferenceConfig.temperature'],
  [{ messages: [{ role: 'user', content: [documentPart('a'), documentPart('a')] }] }, 'two documents'],
])('Converse does not take %j', (members, word) => {
  const request = { messages: [{ role: 'user', content: [documentPart('a'), documentPart('b')] }] };
  expect(converseProblem({ ...request, outputConfig: schemaConfig({ type: 'string' }) })).toBeUndefined();
  const problem = converseProblem({ ...request, ...members });
  expect(`${problem?.message} ${problem?.param}`).toContain(word);
});

function schemaConfig(schema: object): object {
  return { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(schema) } } } };
}

function documentPart(name: string): object {
  return { document: { format: 'txt', name, source: { text: 'hi' } } };
}
