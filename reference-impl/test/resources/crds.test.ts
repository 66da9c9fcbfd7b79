import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  CUSTOM_KINDS,
  type CustomKind,
  customResourceDefinition,
} from '../../resources/crd/custom-resource-definition.ts';
import { definitionFiles, schemaFiles } from '../../resources/crd/published-files.ts';
import { compile } from '../../cel/compile.ts';
import { admit } from '../../admission/admit.ts';
import { CONSTRAINTS } from '../admission/constraints.ts';
import { fragment } from '../admission/fragments.ts';
import { brokenRules, membersIn, type Node, nodesOf, rulesOf } from './structural.ts';
import { isFields } from '../../resources/groups.ts';
import { KINDS } from '../../resources/kinds.ts';

const ROOT = new URL('../../../', import.meta.url);

const DEFINITIONS = definitionFiles();

test.each([
  ['reference-impl/crds', DEFINITIONS],
  ['schemas/resources', schemaFiles()],
])('%s is fresh: refproxy crds -o reference-impl/crds --schemas schemas/resources', (folder, files) => {
  expect(readdirSync(new URL(folder, ROOT)).toSorted()).toEqual([...files.keys()].toSorted());
  for (const [name, text] of files)
    expect(readFileSync(new URL(`${folder}/${name}`, ROOT), 'utf8') === text, `${folder}/${name}`).toBe(true);
});

const SCHEMAS = Object.fromEntries(CUSTOM_KINDS.map((kind) => [kind, schemaOf(kind)]));

describe.each(CUSTOM_KINDS)('the schema of %s', (kind) => {
  const nodes = [...nodesOf(schemaOf(kind))];

  test('is structural', () => {
    // Ten thousand expectations would take seconds.
    const wrong: string[] = [];
    for (const [path, node] of nodes) {
      const free = node['x-kubernetes-preserve-unknown-fields'] === true || node['x-kubernetes-int-or-string'] === true;
      if (typeof node['type'] !== 'string' && !free) wrong.push(`no type of ${path}`);
      for (const keyword of ['$ref', '$schema', 'default', 'const', 'definitions', 'anyOf', 'oneOf', 'not', 'id'])
        if (Object.hasOwn(node, keyword)) wrong.push(`${keyword} at ${path}`);
      if ('properties' in node && 'additionalProperties' in node) wrong.push(`both forms of object at ${path}`);
      if (typeof node['additionalProperties'] === 'boolean') wrong.push(`additionalProperties at ${path}`);
      const required: readonly unknown[] = Array.isArray(node['required']) ? node['required'] : [];
      const members = membersIn(node['properties']);
      for (const name of required)
        if (!Object.hasOwn(members, String(name))) wrong.push(`${String(name)} is required and not there at ${path}`);
      if (node['type'] === 'array' && node['items'] === undefined) wrong.push(`no items at ${path}`);
    }
    expect(nodes.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });

  test('has patterns an RE2 engine takes', () => {
    for (const [path, node] of nodes)
      if (typeof node['pattern'] === 'string')
        expect(() => RE2JS.compile(String(node['pattern'])), `${path} ${node['pattern']}`).not.toThrow();
  });

  test('has rules that compile, each with a message', () => {
    const rules = nodes.flatMap(([, node]) => rulesOf(node));
    const wrong = [...new Set(rules.map(({ rule }) => rule))].flatMap((rule) => {
      // Any declared name will do for `self`.
      const compiled = compile(rule.replaceAll(/\bself\b/g, 'metadata'));
      return compiled.ok ? [] : [`${rule}: ${compiled.error.message}`];
    });
    expect(wrong).toEqual([]);
    expect(rules.filter(({ message }) => message === '')).toEqual([]);
  });

  // A larger one can be applied with --server-side only.
  test('fits into the annotation in which `kubectl apply` keeps what was applied', () => {
    const applied = customResourceDefinition(kind);
    const named = applied['metadata'];
    const metadata = { annotations: {}, ...(isFields(named) ? named : {}) };
    const name = 'kubectl.kubernetes.io/last-applied-configuration';
    expect(Buffer.byteLength(`${name}${jsonOfGo({ ...applied, metadata })}\n`)).toBeLessThanOrEqual(262_144);
  });

  test('has no rule on a map whose values may be anything: an API server has no type for it', () => {
    for (const [path, node] of nodes) {
      const values = membersIn(node['additionalProperties']);
      const untyped = values['x-kubernetes-preserve-unknown-fields'] === true && values['type'] === undefined;
      if (untyped) expect(rulesOf(node), path).toEqual([]);
    }
  });

  test('says of metadata nothing but its type', () => {
    expect(membersIn(schemaOf(kind)['properties'])['metadata']).toEqual({ type: 'object' });
  });

  test('is the same to a reader of YAML 1.1', () => {
    const text = DEFINITIONS.get(`${KINDS[kind].plural}.yaml`) ?? '';
    expect(parse(text, { version: '1.1' })).toEqual(customResourceDefinition(kind));
  });
});

/** What an API server cannot know from the schema: unknown fields are dropped there, and these rules have no CEL form. */
const ADMISSION_ONLY: ReadonlySet<string> = new Set(['unknown field']);

describe('an API server with the definitions decides like admission', () => {
  // Compiled once and asked a few hundred times: making that quicker takes longer than it saves.
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, code: { optimize: false } });
  const validators = Object.fromEntries(
    CUSTOM_KINDS.map((kind) => [kind, ajv.compile(withTypedNullables(SCHEMAS[kind] ?? {}))]),
  );
  const accepts = (value: unknown): boolean => {
    const kind = String(membersIn(value)['kind']);
    return validators[kind]?.(value) === true && brokenRules(SCHEMAS[kind] ?? {}, value).length === 0;
  };
  const rows = CONSTRAINTS.map(
    ([, around, broken, , kept]) => [around(fragment(broken)), around(fragment(kept))] as const,
  );

  test.each(rows.map(([broken, kept]) => [JSON.stringify(broken), broken, kept] as const))('%s', (_, broken, kept) => {
    expect(brokenRules(SCHEMAS[String(membersIn(kept)['kind'])] ?? {}, kept)).toEqual([]);
    expect(accepts(kept)).toBe(true);
    const admission = admit(broken);
    const messages = admission.ok ? [] : admission.violations.map(({ message }) => message);
    const pruned = messages.every((message) => [...ADMISSION_ONLY].some((known) => message.startsWith(known)));
    if (!pruned) expect(accepts(broken), messages.join('; ')).toBe(false);
  });
});

/** Ajv knows `nullable` beside a type only; without one a value may be null anyway. */
function withTypedNullables(schema: Node): Node {
  const text = JSON.stringify(schema, (_, value: unknown) =>
    isUntypedNullable(value) ? { ...value, nullable: undefined } : value,
  );
  return membersIn(JSON.parse(text));
}

function isUntypedNullable(value: unknown): value is Node {
  return isFields(value) && value['nullable'] === true && value['type'] === undefined;
}

/** JSON as `kubectl` writes it: Go escapes what could end a script element, and two line separators. */
function jsonOfGo(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function schemaOf(kind: CustomKind): Node {
  const { versions } = membersIn(customResourceDefinition(kind)['spec']);
  const found: readonly unknown[] = Array.isArray(versions) ? versions : [];
  return membersIn(membersIn(membersIn(found[0])['schema'])['openAPIV3Schema']);
}
