import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { jsonSchema } from '../../resources/crd/json-schema.ts';
import { isKindName, KINDS } from '../../resources/kinds.ts';
import { CONSTRAINTS } from '../admission/constraints.ts';
import { fragment } from '../admission/fragments.ts';
import { membersIn } from './structural.ts';

// Compiled once and asked a few hundred times: making that quicker takes longer than it saves.
const ajv = new Ajv({ strict: false, validateFormats: false, code: { optimize: false } });
const VALIDATORS = Object.fromEntries(
  Object.keys(KINDS)
    .filter(isKindName)
    .map((kind) => [kind, ajv.compile(jsonSchema(kind))]),
);

const SAMPLES = CONSTRAINTS.flatMap(([, around, broken, , kept]) => [around(fragment(broken)), around(fragment(kept))]);

test.each(SAMPLES.map((value) => [JSON.stringify(value), value] as const))(
  'agrees with the schema on %s',
  (_, value) => {
    expect(published(value)).toBe(byTypes(value));
  },
);

// Printable ASCII: a character is one unit of UTF-16 there, in both ways to count.
const text = fc.string({ maxLength: 40 });
const long = fc.constantFrom(64, 65, 256, 257, 1024, 1025).map((length) => 'a'.repeat(length));
const other = fc.oneof(
  text,
  long,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
);
const change = fc.record({
  sample: fc.constantFrom(...SAMPLES),
  at: fc.nat(),
  how: fc.constantFrom('replace', 'remove', 'add', 'repeat'),
  value: other,
});

test('property: on changed resources the published schema and the schema of admission agree on every type rule', () => {
  let refused = 0;
  fc.assert(
    fc.property(change, ({ sample, at, how, value }) => {
      const changed = changedAt(structuredClone(sample), at, how, value);
      const expected = byTypes(changed);
      if (!expected) refused += 1;
      expect(published(changed), JSON.stringify(changed)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
  expect(refused).toBeGreaterThan(100);
});

function published(value: unknown): boolean {
  return VALIDATORS[String(membersIn(value)['kind'])]?.(value) === true;
}

/** Rules over several fields are not part of the published schema; bounds of maps are, though zod has them as rules. */
function byTypes(value: unknown): boolean {
  const kind = String(membersIn(value)['kind']);
  if (!isKindName(kind)) return false;
  const { success, error } = KINDS[kind].schema.safeParse(value);
  return success || !error.issues.some(isTypeRule);
}

function isTypeRule(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_union') return issue.errors.every((branch) => branch.some(isTypeRule));
  return issue.code !== 'custom' || issue.params?.['bounds'] !== undefined;
}

/** Changes the member that comes at place `at` when all members are counted, round and round. */
function changedAt(root: unknown, at: number, how: string, value: unknown): unknown {
  const members = [...membersOf(membersIn(root)['spec'])];
  const member = members[at % Math.max(members.length, 1)];
  if (member === undefined) return root;
  const [owner, name] = member;
  if (how === 'replace') owner[name] = value;
  else if (how === 'add') owner['added'] = value;
  else if (how === 'remove') Reflect.deleteProperty(owner, name);
  else if (Array.isArray(owner[name])) owner[name] = repeated(owner[name]);
  return root;
}

function* membersOf(value: unknown): Generator<readonly [Record<string, unknown>, string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) yield [membersIn(value), name];
    yield* membersOf(member);
  }
}

/** Longer than most lists may be. */
function repeated(list: readonly unknown[]): unknown[] {
  return Array.from({ length: 20 }, () => list[0]);
}
