import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CASE_SCHEMA_FILE, caseSchemaText } from '../../case/json-schema.ts';
import { parsedMemory } from '../../case/parsed-memory.ts';
import { isList, isObject } from '../../values/json.ts';
import { expectText } from '../../steps/expect-texts.ts';
import { commonStepShape, stepKinds } from '../../steps/registry.ts';
import { MATCHERS } from '../../values/matchers/registry.ts';
import { lookup } from '../../values/variables.ts';
import { packageRoot } from '../../values/package-root.ts';
import { wholeSuite } from '../support/whole-suite.ts';
import { goodFile } from './support.ts';

const root = packageRoot();
const published = caseSchemaText();
const schema: unknown = JSON.parse(published);
// Compiled once and asked a few hundred times: making that quicker takes longer than it saves.
const validate = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } }).compile(
  isSchema(schema) ? schema : {},
);

test('the published file is fresh', async () => {
  // A difference would be shown as two lines of more than 100,000 characters.
  expect((await readFile(path.join(root, CASE_SCHEMA_FILE), 'utf8')) === published).toBe(true);
});

describe('the published schema', () => {
  test.each<readonly [string, boolean, readonly (readonly [string, string])[]]>([
    ['the good file', true, []],
    [
      'a placeholder where a number belongs',
      true,
      [['status: 200 } }\n    topology', 'status: "${row.n}" } }\n    topology']],
    ],
    [
      'an entry that depends on the row',
      true,
      [['    config:\n', '    config:\n      - { ~if: "${row.a}", kind: Secret, metadata: { name: s } }\n']],
    ],
    ['a misspelt key of a case', false, [['    title:', '    titel:']]],
    ['a misspelt key of a step', false, [['        http:', '        htp:']]],
    ['a misspelt key of a peer', false, [['reply: {', 'replyy: {']]],
    ['a misspelt key of a topology', false, [['{ to: up }', '{ too: up }']]],
    ['a bad polarity', false, [['as: positive', 'as: maybe']]],
  ])('on %s says %s', (_, valid, edits) => {
    expect(validate(parse(goodFile(...edits)))).toBe(valid);
  });

  test('accepts every case file that the loader accepts', { timeout: 60_000 }, async () => {
    const { cases, unreadable } = await wholeSuite();
    const broken = new Set(unreadable.map(({ file }) => file));
    const files = [...new Set(cases.map(({ file }) => file))].filter((file) => !broken.has(file));
    const texts = await Promise.all(files.map((file) => readFile(path.join(root, file), 'utf8')));
    // The loader has kept what it read; the reader of YAML would take seconds to come to the same.
    const memory = parsedMemory();
    const values = texts.map((text) => memory.recall(text)?.value ?? (parse(text) as unknown));
    expect(files.filter((_, index) => !validate(values[index]))).toEqual([]);
  });
});

test('every member of the published schema has a text, which is no repetition of its name', () => {
  const members = membersOf(schema);
  expect(members.length).toBeGreaterThan(500);
  expect(members.filter(({ text }) => text === undefined).map(({ name }) => name)).toEqual([]);
  expect(members.filter(({ name, text }) => (text ?? '').replace(/^(the|an?) /, '') === name)).toEqual([]);
});

test('a text of a member stands before it may be a placeholder, and once', () => {
  const { properties } = stepSchema();
  expect(properties?.['control']).toMatchObject({
    description: commonStepShape.control.description,
    anyOf: [{ type: 'boolean', const: true }, { $ref: '#/$defs/template' }],
  });
});

test('expectations of steps and cases offer every matcher, with its text, at any depth', () => {
  expect(JSON.stringify(stepSchema().properties?.['expect'])).toContain('"allOf":[{"$ref":"#/$defs/expected"}]');
  expect(defs()['expected']).toMatchObject({
    properties: Object.fromEntries(MATCHERS.map(({ name, text }) => [name, { description: text }])),
    additionalProperties: { $ref: '#/$defs/expected' },
    items: { $ref: '#/$defs/expected' },
  });
});

interface Member {
  readonly name: string;
  readonly text: string | undefined;
}

/** The members of all objects in the schema, with their texts; one that is shared has that of what it refers to. */
function membersOf(node: unknown): readonly Member[] {
  if (isList(node)) return node.flatMap(membersOf);
  if (!isSchema(node)) return [];
  const { properties, ...rest } = node;
  const own = isSchema(properties) ? Object.entries(properties) : [];
  return [
    ...own.flatMap(([name, member]) => [{ name, text: textOf(member) }, ...membersOf(member)]),
    ...Object.values(rest).flatMap(membersOf),
  ];
}

function textOf(member: unknown): string | undefined {
  if (!isSchema(member)) return undefined;
  const { description, $ref } = member;
  if (typeof description === 'string') return description;
  return typeof $ref === 'string' ? textOf(defs()[$ref.replace('#/$defs/', '')]) : undefined;
}

function stepSchema(): { readonly properties?: Readonly<Record<string, unknown>> } {
  const found = Object.values(defs()).find(
    (def) => isSchema(def) && isSchema(def['properties']) && 'parallel' in def['properties'],
  );
  return isSchema(found) && isSchema(found['properties']) ? { properties: found['properties'] } : {};
}

function defs(): Readonly<Record<string, unknown>> {
  const found = isSchema(schema) ? schema['$defs'] : undefined;
  return isSchema(found) ? found : {};
}

function isSchema(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

test('each kind of step offers the members it may expect, each with what it means there', () => {
  const offered = new Map(offersOf(schema));
  expect([...offered.keys()]).toEqual(Object.keys(stepKinds));
  for (const { name, expectKeys } of Object.values(stepKinds)) {
    const texts = Object.fromEntries(expectKeys.map((key) => [key, expectText(name, key)]));
    expect(offered.get(name)).toEqual(texts);
    expect(Object.values(texts)).not.toContain(undefined);
  }
  expect(offered.get('status')?.['status']).not.toBe(offered.get('http')?.['status']);
});

/** Kind of step and its members with their texts, wherever the schema makes what it offers depend on the kind. */
function offersOf(node: unknown): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  if (isList(node)) return node.flatMap(offersOf);
  if (!isObject(node)) return [];
  const kind = lookup(node, 'if.required.0');
  const members = lookup(node, 'then.properties.expect.properties');
  if (typeof kind !== 'string' || !isObject(members)) return Object.values(node).flatMap(offersOf);
  return [
    [kind, Object.fromEntries(Object.entries(members).map(([name, text]) => [name, lookup(text, 'description')]))],
  ];
}
