import type { Builder, Placed } from './build.ts';
import { groupsOf, typeParts, type Field, type FieldTable } from './field-table.ts';
import type { Fragments } from './fragments.ts';
import { kebab } from './kebab.ts';
import { edges, otherTypes, samples, type Sample } from './samples.ts';

/** One thing to put at a field, or at the fields of a group, and whether that is right. */
export interface Candidate {
  /** What stands in the brackets of the case id. */
  readonly name: string;
  readonly accepted: boolean;
  /** The rule it is about, as `clauses` of the table names it. */
  readonly rule: string;
  readonly leaves: readonly Placed[];
  /** The scalar whose bound it is, when it is that of an item or of a type of its own. */
  readonly scalar?: string;
}

/** Everything candidates are made from. */
export interface Ground {
  readonly table: FieldTable;
  readonly fragments: Fragments;
  readonly builder: Builder;
}

/** The boundaries of one field: left out, lengths and ranges, every value and one other, forms, another type, default given and left out. */
export function fieldCandidates(field: Field, ground: Ground): readonly Candidate[] {
  const { path } = field;
  const put = (sample: Sample, scalar?: string): Candidate => {
    const { value, ...rest } = sample;
    return { ...rest, leaves: [[path, { value }]], ...(scalar === undefined ? {} : { scalar }) };
  };
  const { wrap, item } = typeParts(field.type);
  return [
    ...(field.required === true ? [leftOut('left-out', false, 'required', path)] : []),
    ...(wrap === undefined ? [] : sizes(field, ground).map((sample) => put(sample))),
    ...samples(field, ground.table, ground.fragments).map((sample) => put(inside(sample, field, ground), item)),
    ...(wrap === undefined ? [] : otherTypes(field.type, ground.table).map((sample) => put(sample))),
    ...defaults(field, put),
  ].filter(({ rule }) => rule !== 'type' || !isEmptyBlock(field, ground));
}

// Whether a block may be empty is not stated, and beside what is of another type stands what is right.
function isEmptyBlock(field: Field, { table, builder }: Ground): boolean {
  const { wrap, item } = typeParts(field.type);
  if (!table.isBlock(item) && !item.startsWith('object')) return false;
  const value = builder.valueOf(field);
  return !isFilled(wrap === undefined ? value : Object.values(Object(value))[0]);
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** The boundaries of the groups of fields of one object: none, each alone, and every two of them. */
export function groupCandidates(kind: string, ground: Ground): ReadonlyMap<string, readonly Candidate[]> {
  const members = Map.groupBy(
    ground.table
      .of(kind)
      .flatMap((field) => groupsOf(field).map(({ name, rule }) => ({ key: `${name}:${rule}`, field }))),
    ({ key }) => key,
  );
  return new Map(
    [...members].flatMap(([key, entries]) => {
      const fields = entries.map(({ field }) => field);
      const inline = fields.some(({ path }) => path === '(inline)');
      return inline ? [] : [[key, candidatesOf(key.slice(key.lastIndexOf(':') + 1), fields, ground)] as const];
    }),
  );
}

function candidatesOf(rule: string, fields: readonly Field[], { builder }: Ground): readonly Candidate[] {
  const set = (given: readonly Field[]): Candidate['leaves'] => [
    ...fields.filter((field) => !given.includes(field)).map(({ path }) => [path, 'absent'] as const),
    ...given.map((field) => [field.path, { value: builder.valueOf(field) }] as const),
  ];
  const pairs = fields.flatMap((field, index) => fields.slice(index + 1).map((other) => [field, other]));
  const alone = fields.map((field) => [field]);
  const together = rule === 'all-or-none';
  return [
    { name: 'none', accepted: rule !== 'exactly-one', rule: 'none', leaves: set([]) },
    ...alone.map((one) => ({
      name: `only-${nameOf(one)}`,
      accepted: !together,
      rule: together ? 'partial' : 'many',
      leaves: set(one),
    })),
    ...pairs.map((two) => ({ name: nameOf(two), accepted: together, rule: 'many', leaves: set(two) })),
  ];
}

function nameOf(fields: readonly Field[]): string {
  return fields.map(({ path }) => kebab(path.slice(path.lastIndexOf('.') + 1))).join('-and-');
}

function leftOut(name: string, accepted: boolean, rule: string, path: string): Candidate {
  return { name, accepted, rule, leaves: [[path, 'absent']] };
}

// A default is proven here as far as admission goes: the value may be written, and it may be left out.
function defaults(field: Field, put: (sample: Sample) => Candidate): readonly Candidate[] {
  if (field.default === undefined || field.required === true) return [];
  return [
    put({ name: 'default-given', accepted: true, rule: 'default', value: field.default }),
    leftOut('default-left-out', true, 'default', field.path),
  ];
}

/** How many items or entries: one fewer than allowed, the fewest, the most, one more. */
function sizes(field: Field, ground: Ground): readonly Sample[] {
  return edges(field.min, field.max).map(({ name, accepted, rule, at }) => ({
    name,
    accepted,
    rule,
    value: many(at, field, ground),
  }));
}

function many(count: number, field: Field, ground: Ground): unknown {
  const items = Array.from({ length: count }, (_, index) => nthItem(field, index, ground));
  if (typeParts(field.type).wrap === 'list') return items;
  return entriesOf(field, items, ground);
}

/** A map of the items, under names that may stand there. */
function entriesOf(field: Field, items: readonly unknown[], { fragments }: Ground): Readonly<Record<string, unknown>> {
  const name = fragments.keys[`${field.kind}.${field.path}`] ?? 'k#';
  return Object.fromEntries(items.map((item, index) => [name.replaceAll('#', String(index)), item]));
}

function nthItem(field: Field, index: number, { builder, fragments }: Ground): unknown {
  const key = `${field.kind}.${field.path}[]`;
  const own = fragments.values[key];
  if (typeof own === 'string') return own.replaceAll('#', String(index));
  if (field.enum !== undefined) return field.enum[index % field.enum.length];
  const value = builder.valueOf(field, index);
  return Array.isArray(value)
    ? value[0]
    : typeof value === 'object' && value !== null
      ? Object.values(value)[0]
      : value;
}

/** The value itself, or the container that holds it as its first item, filled up to the least size. */
function inside(sample: Sample, field: Field, ground: Ground): Sample {
  const { wrap } = typeParts(field.type);
  if (wrap === undefined) return sample;
  const rest = Array.from({ length: Math.max(0, (field.min ?? 0) - 1) }, (_, index) =>
    nthItem(field, index + 1, ground),
  );
  const items = [sample.value, ...rest];
  const value = wrap === 'list' ? items : entriesOf(field, items, ground);
  return { ...sample, name: `item-${sample.name}`, value };
}
