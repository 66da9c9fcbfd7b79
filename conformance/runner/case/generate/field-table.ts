import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { once } from '../../values/once.ts';
import { packageRoot } from '../../values/package-root.ts';
import { remembered } from '../../values/remembered.ts';

const fieldSchema = z.strictObject({
  kind: z.string(),
  path: z.string(),
  type: z.string(),
  required: z.union([z.literal(true), z.literal('conditional')]).optional(),
  min: z.int().optional(),
  max: z.int().optional(),
  pattern: z.string().optional(),
  enum: z.array(z.string()).min(1).optional(),
  open: z.literal(true).optional(),
  default: z.unknown().optional(),
  defaultKey: z.string().optional(),
  group: z.array(z.string().regex(/^.+:(exactly-one|at-most-one|all-or-none)$/)).optional(),
  deprecated: z.literal(true).optional(),
  clauses: z.record(z.string(), z.string().regex(/^[A-Z0-9]+-\d{3}$/)).optional(),
});

/** One row of `docs/spec/fields.yaml`, whose head explains the members. */
export type Field = z.infer<typeof fieldSchema>;

/** The fields of every kind and building block, by the order of the document. */
export interface FieldTable {
  readonly fields: readonly Field[];
  /** Rows of a kind without the row of the type itself. */
  readonly of: (kind: string) => readonly Field[];
  readonly find: (kind: string, fieldPath: string) => Field | undefined;
  /** Whether the type is one with fields of its own. */
  readonly isBlock: (type: string) => boolean;
}

/** The table of this package. Throws when the file does not fit its schema. */
export const fieldTable = once(() =>
  indexFields(remembered('fields', fieldsText(), (written) => rowsOf(parse(written)))),
);

/** The table as it is written; every clause that a generated case may cite stands in it. */
export const fieldsText = once(() => readFileSync(path.join(packageRoot(), 'docs/spec/fields.yaml'), 'utf8'));

/** A table of rows as `docs/spec/fields.yaml` writes them. Throws a ZodError for rows that do not fit. */
export function tableOf(rows: unknown): FieldTable {
  return indexFields(rowsOf(rows));
}

function rowsOf(rows: unknown): readonly Field[] {
  return z.array(fieldSchema).parse(rows);
}

function indexFields(fields: readonly Field[]): FieldTable {
  const byKind = Map.groupBy(fields, ({ kind }) => kind);
  const byPath = new Map(fields.toReversed().map((field) => [`${field.kind} ${field.path}`, field] as const));
  const members = new Map([...byKind].map(([kind, own]) => [kind, own.filter(({ path: at }) => at !== '.')] as const));
  const of = (kind: string): readonly Field[] => members.get(kind) ?? [];
  return {
    fields,
    of,
    find: (kind, fieldPath) => byPath.get(`${kind} ${fieldPath}`),
    isBlock: (type) => of(type).length > 0,
  };
}

/** `array<X>` and `map<string,X>` taken apart; anything else is one value. */
export function typeParts(type: string): { readonly wrap?: 'list' | 'map'; readonly item: string } {
  const list = /^array<(.+)>$/.exec(type)?.[1];
  if (list !== undefined) return { wrap: 'list', item: list };
  const map = /^map<string,(.+)>$/.exec(type)?.[1];
  return map === undefined ? { item: type } : { wrap: 'map', item: map };
}

/** The groups a field stands in, taken apart. */
export function groupsOf(field: Field): readonly { readonly name: string; readonly rule: string }[] {
  return (field.group ?? []).map((text) => {
    const cut = text.lastIndexOf(':');
    return { name: text.slice(0, cut), rule: text.slice(cut + 1) };
  });
}

/** The fields that have to stand beside this one, because a group wants all or none. */
export function partners(field: Field, table: FieldTable): readonly Field[] {
  const groups = groupsOf(field).flatMap(({ name, rule }) => (rule === 'all-or-none' ? [name] : []));
  return table
    .of(field.kind)
    .filter((other) => other !== field && groupsOf(other).some(({ name }) => groups.includes(name)));
}
