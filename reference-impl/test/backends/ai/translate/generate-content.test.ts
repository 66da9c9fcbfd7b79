import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textEvent } from '../../../../backends/ai/streams/stream-event.ts';
import { UnsupportedByFormat } from '../../../../backends/ai/translate/translation.ts';
import { normalisedSchema } from '../../../../backends/ai/translate/completions-to-generate-content/schema.ts';
import { completionsToGenerateContent } from '../../../../backends/ai/translate/completions-to-generate-content.ts';

/** A schema that refers ten times to the next one. */
function level(next: number): object {
  return { anyOf: Array.from({ length: 10 }, () => ({ $ref: `#/$defs/l${next}` })) };
}

const ARRAY_OF_BOTH = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } };

describe('a schema', () => {
  test.each([
    [{ type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [{ type: ['string', 'integer'] }, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    [{ const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      { type: 'integer', enum: [1, 2], format: 'int32' },
      { type: 'integer', format: 'int32', description: 'One of 1, 2.' },
    ],
    [
      { type: ['integer', 'null'], enum: [1, null], description: 'How many.' },
      { type: 'integer', nullable: true, description: 'How many. One of 1.' },
    ],
    [
      { type: 'string', enum: ['a', null] },
      { type: 'string', nullable: true, enum: ['a'] },
    ],
    [{ const: true }, { type: 'boolean', description: 'One of true.' }],
    [{ description: 'anything' }, { type: 'string', description: 'anything' }],
    [{ items: [{ type: 'string' }, { type: 'number' }] }, ARRAY_OF_BOTH],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, ARRAY_OF_BOTH],
    [
      { type: 'array', items: true },
      { type: 'array', items: { type: 'string' } },
    ],
    [
      { type: 'object', properties: { a: true }, required: ['a', 'gone'] },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    [
      {
        type: 'object',
        properties: { a: {}, b: {} },
        description: 'd',
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      {
        anyOf: ['a', 'b'].map((name) => ({
          type: 'object',
          description: 'd',
          properties: { a: { type: 'string' }, b: { type: 'string' } },
          required: [name],
        })),
      },
    ],
    [
      { nullable: true, anyOf: [{ type: 'string' }, { anyOf: [{ type: 'number' }, { type: 'boolean' }] }] },
      { anyOf: ['string', 'number', 'boolean'].map((type) => ({ type, nullable: true })) },
    ],
    [{ type: 'string', format: 'uri' }, { type: 'string' }],
    [{ type: 'array' }, { type: 'array', items: { type: 'string' } }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'string', nullable: true }],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [{ type: 'object', additionalProperties: false, $schema: 'x', exclusiveMinimum: 1 }, { type: 'object' }],
    [
      { type: 'array', items: { type: 'string', const: 'a' } },
      { type: 'array', items: { type: 'string', enum: ['a'] } },
    ],
    [
      {
        allOf: [
          { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
          { required: ['b'], properties: { b: { type: 'string' } } },
        ],
      },
      { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' }, b: { type: 'string' } } },
    ],
    [{ properties: { $ref: { type: 'string' } } }, { type: 'object', properties: { $ref: { type: 'string' } } }],
  ])('%j is %j', (schema, normal) => {
    expect(normalisedSchema(schema)).toEqual(normal);
  });

  test('a reference is replaced, with what stands beside it', () => {
    const schema = {
      properties: { a: { $ref: '#/$defs/x~1y', description: 'd' } },
      $defs: { 'x/y': { type: 'string' } },
    };
    expect(normalisedSchema(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string', description: 'd' } },
    });
  });

  test('one that contains itself, is not there or grows without bound is refused', () => {
    const tree = { $ref: '#/$defs/t', $defs: { t: { properties: { child: { $ref: '#/$defs/t' } } } } };
    expect(() => normalisedSchema(tree)).toThrow(UnsupportedByFormat);
    expect(() => normalisedSchema({ $ref: '#/$defs/none' })).toThrow(UnsupportedByFormat);
    const bomb = {
      $ref: '#/$defs/l0',
      $defs: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`l${at}`, level(at + 1)])),
    };
    expect(() => normalisedSchema({ ...bomb })).toThrow(UnsupportedByFormat);
    const choices = Array.from({ length: 10 }, () => ({ type: 'object' }));
    const nest = (depth: number): object => ({ properties: depth === 0 ? {} : { a: nest(depth - 1) }, anyOf: choices });
    expect(() => normalisedSchema({ ...nest(9) })).toThrow('too large');
  });

  test('the parameters of a function are one object, whatever they are a choice of', () => {
    const parameters = {
      anyOf: [
        { type: 'object', properties: { kind: { const: 'a' }, a: { type: 'string' } }, required: ['kind', 'a'] },
        { type: 'object', properties: { kind: { const: 'b' }, n: { type: 'number' } }, required: ['kind'] },
        { type: 'object', properties: { kind: { const: 'c' }, n: { const: 'n' } }, required: ['kind'] },
      ],
    };
    const tools = [{ type: 'function', function: { name: 'f', parameters } }];
    const sent = completionsToGenerateContent.request({ messages: [], tools });
    expect(sent['tools']).toEqual([
      {
        functionDeclarations: [
          {
            name: 'f',
            parameters: {
              type: 'object',
              properties: {
                kind: { type: 'string', enum: ['a', 'b', 'c'] },
                a: { type: 'string' },
                n: { type: 'number' },
              },
              required: ['kind'],
            },
          },
        ],
      },
    ]);
  });
});

const MEMBERS = [
  'messages',
  'role',
  'content',
  'type',
  'text',
  'image_url',
  'url',
  'tool_calls',
  'function',
  'name',
  'arguments',
  'id',
  'tool_call_id',
  'tools',
  'parameters',
  'properties',
  '$ref',
  'anyOf',
  'allOf',
  'tool_choice',
  'response_format',
  'stop',
  'candidates',
  'parts',
  'functionCall',
  'args',
  'finishReason',
  'usageMetadata',
  'promptTokenCount',
  'thought',
  'error',
  'status',
];
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      'user',
      'assistant',
      'tool',
      'text',
      'image_url',
      'function',
      'gs://a/b.png',
      'data:image/png;base64,AA==',
    ),
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...MEMBERS), tie('any'), { maxKeys: 5 }),
  ),
}));
const object = fc.dictionary(fc.constantFrom(...MEMBERS), value.any, { maxKeys: 8 });
const stamp = { created: 1, id: () => 'id' };

test('any request and any reply is translated or refused', () => {
  fc.assert(
    fc.property(object, (json) => {
      for (const run of [
        () => completionsToGenerateContent.request(json),
        () => completionsToGenerateContent.reply(json, stamp),
        () => completionsToGenerateContent.error(400, json),
      ]) {
        try {
          expect(typeof run()).toBe('object');
        } catch (error) {
          expect(['UnsupportedByFormat', 'UnreadableReply']).toContain(error instanceof Error ? error.name : '');
        }
      }
      const stream = completionsToGenerateContent.stream(stamp);
      expect(Array.isArray([...stream.event(textEvent(JSON.stringify(json))), ...stream.end()])).toBe(true);
    }),
  );
});

test.each([
  ['seed', { seed: 7 }, { seed: 7 }],
  ['penalties', { presence_penalty: 0.5, frequency_penalty: 0.25 }, { presencePenalty: 0.5, frequencyPenalty: 0.25 }],
  ['top_k', { top_k: 5, top_p: 0.5 }, { topK: 5, topP: 0.5 }],
])('%s is told in the words of the provider', (_, asked, told) => {
  const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...asked };
  expect(completionsToGenerateContent.request(request)['generationConfig']).toEqual(told);
});
