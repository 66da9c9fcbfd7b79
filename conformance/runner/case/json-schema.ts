import { z } from 'zod';
import { expectText } from '../steps/expect-texts.ts';
import { stepKinds } from '../steps/registry.ts';
import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { MATCHERS } from '../values/matchers/registry.ts';
import { caseFileSchema } from './schema.ts';

/** Where the published schema lies, relative to the package. */
export const CASE_SCHEMA_FILE = 'schemas/case.schema.json';

/** The first line of a case file, with which editors complete and check it. `up` leads from the file to the package. */
export function schemaComment(up: string): string {
  return `# yaml-language-server: $schema=${up}${CASE_SCHEMA_FILE}`;
}

/** The JSON Schema of a case file as text, generated from the zod schema. */
export function caseSchemaText(): string {
  const generated = z.toJSONSchema(caseFileSchema, { io: 'input', unrepresentable: 'any' });
  const open: unknown = withoutEchoes(withExpectations(withMatchers(withTemplates(generated, false))));
  const schema = isObject(open) ? shareRepeated(open) : {};
  const head = { $id: 'urn:proxy-conformance:case:v1', title: 'Case file of the proxy conformance suite' };
  return `${JSON.stringify({ ...head, ...schema })}\n`;
}

/** What may stand in place of anything below these members: a placeholder, or an entry that depends on the row. */
const TEMPLATE = {
  anyOf: [
    { type: 'string', pattern: '\\$\\{' },
    { type: 'object', required: ['~if'] },
    { type: 'object', required: ['~fill'] },
    { type: 'object', required: ['~list'] },
    { type: 'object', required: ['~members'] },
  ],
};
const TEMPLATED: ReadonlySet<string> = new Set([
  'peers',
  'topology',
  'config',
  'steps',
  'expect',
  'property',
  'witness',
]);

/** The same schema with placeholders allowed below the members that rows and variables fill. */
function withTemplates(node: unknown, inside: boolean): unknown {
  if (isList(node)) return node.map((item) => withTemplates(item, inside));
  if (!isObject(node)) return node;
  const members = Object.entries(node).map(([key, value]) => {
    if (key === 'properties' && isObject(value)) return [key, withTemplatesBelow(value, inside)] as const;
    const isSchema = inside && (key === 'items' || key === 'additionalProperties');
    return [
      key,
      isSchema ? orTemplate(withTemplates(value, inside)) : withTemplates(value, inside || key === '$defs'),
    ] as const;
  });
  return Object.fromEntries(members);
}

function withTemplatesBelow(properties: JsonObject, inside: boolean): JsonObject {
  const entries = Object.entries(properties).map(([name, schema]) => {
    const below = withTemplates(schema, inside || TEMPLATED.has(name));
    // The kind of a peer chooses its schema, and step ids are names.
    return [name, inside && name !== 'kind' && name !== 'id' ? orTemplate(below) : below] as const;
  });
  return Object.fromEntries(entries);
}

function orTemplate(schema: unknown): unknown {
  if (!isObject(schema) || Object.keys(schema).length === 0) return schema;
  const takesText = schema['type'] === 'string' && schema['pattern'] === undefined && schema['format'] === undefined;
  if (takesText) return schema;
  const { description: _description, ...rest } = schema;
  return { ...descriptionOf(schema), anyOf: [rest, { $ref: '#/$defs/template' }] };
}

/** What may stand in an expectation at any depth, beside what the author expects literally. */
const EXPECTED = {
  properties: Object.fromEntries(
    MATCHERS.map(({ name, text }) => [name, { description: text, ...refersTo('expected') }]),
  ),
  additionalProperties: refersTo('expected'),
  items: refersTo('expected'),
};

/** The same schema with matchers offered where the schema of cases marks an expectation. */
function withMatchers(node: unknown): unknown {
  if (isList(node)) return node.map(withMatchers);
  if (!isObject(node)) return node;
  const isMarked = node['matchers'] === true;
  const members = Object.entries(node).flatMap(([key, value]) =>
    isMarked && key === 'matchers' ? [] : [[key, withMatchers(value)] as const],
  );
  return { ...Object.fromEntries(members), ...(isMarked ? { allOf: [refersTo('expected')] } : {}) };
}

/** The same schema with the members that each kind of step may expect, where the schema of steps is marked. */
function withExpectations(node: unknown): unknown {
  if (isList(node)) return node.map(withExpectations);
  if (!isObject(node)) return node;
  const { kindsOfStep, ...rest } = node;
  const members = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withExpectations(value)]));
  return kindsOfStep === true ? { ...members, allOf: Object.values(stepKinds).map(expectationsOf) } : members;
}

function expectationsOf({ name, expectKeys }: (typeof stepKinds)[string]): JsonObject {
  const described: JsonObject = Object.fromEntries(
    expectKeys.map((key) => [key, { description: expectText(name, key), ...refersTo('expected') }] as const),
  );
  const expect = { description: `what the ${name} step must have seen`, properties: described };
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: { required: [name] }, then: { properties: { expect } } };
}

function refersTo(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

/** The text of a member stands once: what may stand in place of a placeholder need not say it again. */
function withoutEchoes(node: unknown, said?: unknown): unknown {
  if (isList(node)) return node.map((item) => withoutEchoes(item));
  if (!isObject(node)) return node;
  const { anyOf, ...rest } = node;
  const own = rest['description'] ?? said;
  const members = Object.entries(rest).filter(([key]) => key !== 'description' || rest[key] !== said);
  return {
    ...Object.fromEntries(members.map(([key, value]) => [key, withoutEchoes(value)])),
    ...(isList(anyOf) ? { anyOf: anyOf.map((branch) => withoutEchoes(branch, own)) } : {}),
  };
}

const WORTH_SHARING = 160;

/** Moves what occurs several times to `$defs`; the schemas of peers and steps repeat themselves a lot. */
function shareRepeated(schema: JsonObject): JsonObject {
  const counts = new Map<string, number>();
  countNodes(schema, counts);
  const names = new Map<string, string>();
  for (const [text, count] of counts) if (count > 1) names.set(text, `shared${names.size + 1}`);
  const { $defs, ...root } = schema;
  const defs: Record<string, unknown> = { template: TEMPLATE, expected: EXPECTED };
  for (const [name, def] of Object.entries(isObject($defs) ? $defs : {})) defs[name] = replaceNodes(def, names, true);
  for (const [text, name] of names) defs[name] = replaceNodes(JSON.parse(text), names, true);
  const shared = replaceNodes(root, names, true);
  return { ...(isObject(shared) ? shared : {}), $defs: defs };
}

function countNodes(node: unknown, counts: Map<string, number>): void {
  if (isList(node)) for (const item of node) countNodes(item, counts);
  if (!isObject(node)) return;
  const text = isSchemaNode(node) ? textOf(node) : '';
  if (text.length > WORTH_SHARING) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const value of Object.values(node)) countNodes(value, counts);
}

function replaceNodes(node: unknown, names: ReadonlyMap<string, string>, top: boolean): unknown {
  if (isList(node)) return node.map((item) => replaceNodes(item, names, false));
  if (!isObject(node)) return node;
  const name = top || !isSchemaNode(node) ? undefined : names.get(textOf(node));
  if (name !== undefined) return { ...descriptionOf(node), $ref: `#/$defs/${name}` };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replaceNodes(value, names, false)]));
}

/** Without its own description, which may differ where the schema is the same. */
function textOf({ description: _description, ...node }: JsonObject): string {
  return JSON.stringify(node);
}

function descriptionOf({ description }: JsonObject): JsonObject {
  return description === undefined ? {} : { description };
}

// An object of properties has names for keys, and one of them may be called like a keyword.
function isSchemaNode(node: JsonObject): boolean {
  return typeof node['type'] === 'string' || isList(node['anyOf']) || isList(node['oneOf']);
}
