import { expect, test } from 'vitest';
import { noteAt } from '../../admission/schema-tree.ts';
import { structuralSchema } from '../../resources/crd/structural-schema.ts';
import { isKindName, KINDS } from '../../resources/kinds.ts';
import { FIELD_ROWS, type FieldRow, NOT_SUBMITTED, type Place, placesOfTypes, stepsOf } from './fields.ts';
import { membersIn, type Node } from './structural.ts';

const UNSHOWN = 'docs/decisions/unshown-fields.md';

/** Where the reference says more than the table, and why. */
const STRICTER: Readonly<Record<string, string>> = {
  'ExtAuth backendRef': 'nobody to ask without it',
  'ExtProc backendRef': 'nobody to ask without it',
  'DirectResponse status': UNSHOWN,
  'GlobalRateLimit descriptors[].entries': `${UNSHOWN}, ADMIT-158`,
  'FailoverModelRouting targets': 'at least one',
  'ConditionalModelRouting targets': 'at least one',
  'PolicyStatus ancestors[].conditions': 'at least one',
  'Authorization policy.matchExpressions': `${UNSHOWN}, ADMIT-119`,
  'DirectResponseOrConditional conditional[].policy': UNSHOWN,
  'ExtAuthOrConditional conditional[].policy': UNSHOWN,
  'ExtProcOrConditional conditional[].policy': UNSHOWN,
  'RateLimitsOrConditional conditional[].policy': UNSHOWN,
  'APIKeyAuthentication secretSelector.matchLabels': 'a selector without labels would take every Secret',
  'APIKeyAuthentication configMapSelector.matchLabels': 'a selector without labels would take every ConfigMap',
};

/** Fields a type has beside those of its rows: docs/decisions/unshown-fields.md. */
const NOT_SHOWN = [
  'DirectResponse.conditional',
  'ExtAuth.conditional',
  'ExtProc.backendRef',
  'ExtProc.conditional',
  'ExtProc.processingOptions',
  'LocalObjectReference.group',
  'LocalObjectReference.kind',
  'ModelTargetReference.weight',
  'RateLimits.conditional',
  'Retry.attempts',
  'Retry.backoff',
  'Traffic.apiKeyAuthentication',
  'Traffic.authorization',
  'Traffic.basicAuthentication',
  'Traffic.buffer',
  'Traffic.cors',
  'Traffic.csrf',
  'Traffic.delay',
  'Traffic.directResponse',
  'Traffic.extAuth',
  'Traffic.headerModifiers',
  'Traffic.hostRewrite',
  'Traffic.rateLimit',
  'Traffic.retry',
  'Traffic.timeouts',
];

/** The document writes byte sizes that are none; these are what they mean. */
const SAME_SIZE: Readonly<Record<string, string>> = { '2mb': '2M', '16kb': '16k' };

const TYPES = placesOfTypes();
const ROOTS: Readonly<Record<string, Node>> = Object.fromEntries(
  Object.entries(KINDS).flatMap(([kind, { schema }]) => (TYPES.has(kind) ? [[kind, structuralSchema(schema)]] : [])),
);

const rows = FIELD_ROWS.filter(({ kind }) => NOT_SUBMITTED[kind] === undefined);

test.each(rows.map((row) => [`${row.kind} ${row.path}`, row] as const))('%s', (_, row) => {
  const places = TYPES.get(row.kind) ?? [];
  expect(places, `no field has the type ${row.kind}`).not.toEqual([]);
  for (const place of places) {
    const at = { kind: place.kind, steps: [...place.steps, ...stepsOf(row.path)] };
    // The kind of a LocalSecretObjectRef may be empty, which the kind of nothing else may.
    if (row.kind !== 'Kind' || nodeAt(at)?.['minLength'] !== undefined) check(row, at);
  }
});

test('every field of the schemas stands in the table, or is one the document does not show', () => {
  const unknown = new Set<string>();
  for (const [type, places] of TYPES) {
    const named = FIELD_ROWS.filter(({ kind, path }) => kind === type && path !== '.').map(({ path }) => path);
    if (named.length === 0 || named.includes('(inline)')) continue;
    const known = new Set(named.map((path) => path.split(/[.[]/)[0]));
    for (const place of places)
      for (const field of Object.keys(membersIn(nodeAt(place)?.['properties'])))
        if (!known.has(field)) unknown.add(`${type}.${field}`);
  }
  expect([...unknown].toSorted()).toEqual(NOT_SHOWN);
});

function check(row: FieldRow, place: Place): void {
  const where = `${place.kind} ${place.steps.join('.')}`;
  const node = nodeAt(place);
  expect(node, where).toBeDefined();
  if (node === undefined) return;
  if (row.path !== '.' && row.path !== '(inline)') checkRequired(row, place, where);
  const bounds = boundsOf(node, row);
  if (row.min !== undefined && row.min > 0) expect(bounds.min, `least of ${where}`).toBe(row.min);
  if (row.max !== undefined) expect(bounds.max, `most of ${where}`).toBe(row.max);
  if (row.enum !== undefined) checkEnum(row, node, where);
  if (row.default !== undefined && row.path !== '.')
    expect(defaultIn(node), `default of ${where}`).toEqual(meant(row.default));
  if (row.defaultKey !== undefined)
    expect(defaultIn(nodeAt({ ...place, steps: [...place.steps, 'key'] })), `default key of ${where}`).toBe(
      row.defaultKey,
    );
  checkClauses(row, place, where);
}

function checkRequired(row: FieldRow, { kind, steps }: Place, where: string): void {
  if (STRICTER[`${row.kind} ${row.path}`] !== undefined || row.required === 'conditional') return;
  const name = steps.at(-1) ?? '';
  const owner = nodeAt({ kind, steps: steps.slice(0, -1) });
  const demanded: unknown = owner?.['required'];
  const rules = JSON.stringify(owner?.['x-kubernetes-validations'] ?? []);
  const isRequired =
    (Array.isArray(demanded) && demanded.includes(name)) ||
    rules.includes(`has(self.conditional) || (has(self.${name}))`);
  expect(isRequired, `required: ${where}`).toBe(row.required ?? false);
}

/** An open list names only some values. */
function checkEnum(row: FieldRow, node: Node, where: string): void {
  const values = node['enum'] ?? membersIn(node['items'])['enum'] ?? membersIn(node['additionalProperties'])['enum'];
  if (row.kind === 'OAuthTokenType')
    for (const value of row.enum ?? []) expect(textIn(node, 'pattern')).toContain(value);
  else if (row.open === true) expect(values, where).toEqual(expect.arrayContaining(row.enum ?? []));
  else expect(new Set(Array.isArray(values) ? values : []), where).toEqual(new Set(row.enum));
}

/** The clause the table gives a bound is the one admission reports. */
function checkClauses(row: FieldRow, place: Place, where: string): void {
  const { clauses = {} } = row;
  if (!isKindName(place.kind)) return;
  const path = place.steps.map((step) => (step === '[]' ? 0 : step));
  const { schema } = KINDS[place.kind];
  const bound = row.min === undefined ? clauses['max'] : clauses['min'];
  const ofValue = bound ?? clauses['enum'] ?? (row.path === '.' ? clauses['any'] : undefined);
  const own = noteAt(schema, path, 'clause') ?? noteAt(schema, [...path, 0], 'clause');
  if (ofValue !== undefined && row.path !== '.') expect(own, `clause of ${where}`).toBe(ofValue);
  if (clauses['required'] !== undefined && row.required === true)
    expect(noteAt(schema, path.slice(0, -1), 'requires') ?? own, `clause that requires ${where}`).toBe(
      clauses['required'],
    );
}

function boundsOf(node: Node, row: FieldRow): { readonly min: unknown; readonly max: unknown } {
  // Lengths of a quantity that may also be a number are those of its text.
  const names = ['Length', 'Items', 'Properties'];
  const isNumber = node['type'] === 'integer';
  const found = (side: 'min' | 'max'): unknown =>
    isNumber ? node[`${side}imum`] : names.map((name) => node[`${side}${name}`]).find((value) => value !== undefined);
  const pattern = /\{(\d+),(\d+)\}\$$/.exec(textIn(node, 'pattern'));
  if (row.type === 'string' && found('max') === undefined && pattern !== null)
    return { min: Number(pattern[1]), max: Number(pattern[2]) };
  return { min: found('min'), max: found('max') };
}

function defaultIn(node: Node | undefined): unknown {
  const text = /Default: (.*?)\.( \[[A-Z]+-\d+\])?$/s.exec(textIn(node ?? {}, 'description'))?.[1];
  // A text that is not empty stands there as it is.
  return text !== undefined && /^(["[{].*|-?[\d.]+|true|false|null)$/s.test(text) ? JSON.parse(text) : text;
}

function textIn(node: Node, keyword: string): string {
  const text = node[keyword];
  return typeof text === 'string' ? text : '';
}

function meant(value: unknown): unknown {
  return typeof value === 'string' ? (SAME_SIZE[value] ?? value) : value;
}

function nodeAt({ kind, steps }: Place): Node | undefined {
  let node: unknown = ROOTS[kind];
  for (const step of steps) {
    const inner = membersIn(node);
    node =
      step === '[]'
        ? inner['items']
        : step === '*'
          ? inner['additionalProperties']
          : membersIn(inner['properties'])[step];
  }
  return typeof node === 'object' && node !== null ? { ...node } : undefined;
}
