import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CUSTOM_KINDS, customResourceDefinition } from '../../resources/crd/custom-resource-definition.ts';
import { descriptionOf } from '../../resources/crd/description.ts';
import { jsonSchema } from '../../resources/crd/json-schema.ts';
import { isFields } from '../../resources/groups.ts';
import { isKindName, KINDS } from '../../resources/kinds.ts';
import { described, describedFields, noted, notesOf } from '../../resources/notes.ts';
import { membersIn } from './structural.ts';

describe('every field has a description', () => {
  test.each(CUSTOM_KINDS)('in the definition of %s', (kind) => {
    const { versions } = membersIn(customResourceDefinition(kind)['spec']);
    const version = membersIn(listIn(versions)[0]);
    // An API server says itself what metadata is, and takes no other text.
    expect(undescribed(membersIn(version['schema'])['openAPIV3Schema'], kind)).toEqual([`${kind}.metadata`]);
  });

  test.each(Object.keys(KINDS).filter(isKindName))('in the JSON Schema of %s', (kind) => {
    expect(undescribed(jsonSchema(kind), kind)).toEqual([]);
  });
});

describe('a described object', () => {
  const inner = noted(z.string().min(1), { default: 'x', clause: 'ADMIT-009' });
  const schema = described(z.strictObject({ a: inner.exactOptional(), b: inner }), { a: 'The first.' }, 'A pair.');

  test('has texts beside what its types say, and decides as before', () => {
    expect(descriptionOf(schema)).toBe('A pair.');
    expect(descriptionOf(schema.shape.a.unwrap())).toBe('The first. Default: x. [ADMIT-009]');
    expect(descriptionOf(schema.shape.b)).toBe('Default: x. [ADMIT-009]');
    expect(schema.safeParse({ b: 'y' }).success).toBe(true);
    expect(schema.safeParse({ a: '', b: 'y' }).success).toBe(false);
    expect(schema.safeParse({ b: 'y', c: 1 }).success).toBe(false);
  });

  test('does not name the clause of its scalar type', () => {
    expect(descriptionOf(noted(z.string(), { text: 'A name.', clause: 'LIMIT-001' }))).toBe('A name.');
  });

  test('keeps its texts in another object, in a refinement and behind a further text', () => {
    const wider = z.strictObject({ ...schema.shape, c: z.number() }).refine(() => true);
    expect(descriptionOf(wider.shape.a.unwrap())).toMatch(/^The first\./);
    expect(descriptionOf(schema.refine(() => true))).toBe('A pair.');
    expect(notesOf(describedFields(schema.shape, { a: 'Another.' }).a.unwrap()).text).toBe('Another.');
    expect(notesOf(inner).text).toBeUndefined();
  });
});

/** Paths of fields, and of items that are objects, which say nothing of themselves. */
function undescribed(node: unknown, path: string): readonly string[] {
  const { properties, items, additionalProperties, anyOf, oneOf } = membersIn(node);
  return [
    ...Object.entries(membersIn(properties)).flatMap(([name, part]) => [
      ...silent(part, `${path}.${name}`),
      ...undescribed(part, `${path}.${name}`),
    ]),
    ...[items, additionalProperties].filter(isFields).flatMap((part) => {
      const isObject = 'properties' in part;
      return [...(isObject ? silent(part, `${path}[]`) : []), ...undescribed(part, `${path}[]`)];
    }),
    ...[...listIn(anyOf), ...listIn(oneOf)].flatMap((part) => undescribed(part, path)),
  ];
}

function silent(part: unknown, at: string): readonly string[] {
  const { description } = membersIn(part);
  return typeof description === 'string' && /^\S[^\n]*$/.test(description) ? [] : [at];
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
