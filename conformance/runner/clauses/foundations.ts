import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { once } from '../values/once.ts';
import { packageRoot } from '../values/package-root.ts';
import { remembered } from '../values/remembered.ts';
import { foundationOf } from './features.ts';

/** The cases, or the one row of one, that show that it is taken and acts. */
const caseIds = z.array(z.string()).min(1);
/** The other foundations stand on it, too. */
const ground = z.literal(true).optional();

/** A kind, and a path below the `spec` of its resources. */
const field = z.string().regex(/^[A-Z]\w+(\.[\w*]+)+$/);

const foundationSchema = z.union([
  z.strictObject({
    /** Several where the same may be said in several places. */
    field: z.union([field, z.array(field).min(2)]),
    ground,
    shownBy: caseIds,
  }),
  z.strictObject({
    /** What no field tells: whoever stands on it says so in `requires`. */
    what: z.string(),
    ground,
    shownBy: caseIds,
  }),
]);

type Foundation = z.infer<typeof foundationSchema>;

/** Where the table of fields that many cases use stands, relative to the package. */
export const FOUNDATIONS_FILE = 'docs/spec/foundations.yaml';

const readFoundations = once((): readonly Foundation[] =>
  remembered('foundations', readFileSync(path.join(packageRoot(), FOUNDATIONS_FILE), 'utf8'), (text) =>
    z.array(foundationSchema).parse(parse(text)),
  ),
);

/** Ids of the cases that stand on nothing, whatever they need and set: everything else may stand on them. */
export const groundCases = once((): readonly string[] =>
  readFoundations().flatMap((foundation) => (foundation.ground === true ? foundation.shownBy : [])),
);

/** Ids of all cases that show a feature or a field: they stand on the ground alone. */
export const foundationCases = once((): readonly string[] => [
  ...foundationOf().values(),
  ...readFoundations().flatMap(({ shownBy }) => shownBy),
]);

/** Ids of the cases that show what fields of these resources do, in the order of the table. */
export function shownByFields(resources: readonly JsonObject[]): readonly string[] {
  const found = new Set<number>();
  for (const { kind, spec } of resources) {
    const below = fieldsByKind().get(String(kind));
    if (below !== undefined) collect(spec, below, found);
  }
  const foundations = readFoundations();
  return [...found].toSorted((one, other) => one - other).flatMap((row) => foundations[row]?.shownBy ?? []);
}

/** What the table says of a member, and of the members below it. */
interface Below {
  /** Rows of the table for this very member. */
  readonly rows: number[];
  readonly members: Map<string, Below>;
}

/** The table as a tree for each kind: a resource is walked once, and not once for each row. */
const fieldsByKind = once((): ReadonlyMap<string, Below> => {
  const kinds = new Map<string, Below>();
  readFoundations().forEach((foundation, row) => {
    if (!('field' in foundation)) return;
    for (const each of [foundation.field].flat()) {
      const [kind = '', ...members] = each.split('.');
      let place = memberOf(kinds, kind);
      for (const member of members) place = memberOf(place.members, member);
      place.rows.push(row);
    }
  });
  return kinds;
});

function memberOf(members: Map<string, Below>, name: string): Below {
  const known = members.get(name) ?? { rows: [], members: new Map<string, Below>() };
  members.set(name, known);
  return known;
}

function collect(value: unknown, { rows, members }: Below, found: Set<number>): void {
  if (isSet(value)) for (const row of rows) found.add(row);
  if (isList(value)) {
    for (const item of value) collect(item, { rows: [], members }, found);
    for (const [name, below] of members) if (/^\d+$/.test(name)) collect(value[Number(name)], below, found);
  } else if (isObject(value)) {
    for (const [name, below] of members) if (Object.hasOwn(value, name)) collect(value[name], below, found);
  }
}

/** A list without items sets nothing. */
function isSet(value: unknown): boolean {
  return isList(value) ? value.some(isSet) : value !== undefined;
}
