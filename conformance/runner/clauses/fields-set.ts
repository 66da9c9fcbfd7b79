import { isList, isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';

/**
 * Which rows of a table resources set a field of. A field is a kind and a path below the `spec` of its resources: lists are entered at each
 * item, or, where the member is a number, at the item of that number; the member `*` is a key of that name.
 */
export type RowsSetBy = (resources: readonly JsonObject[]) => readonly number[];

/** Of a table with the fields of each row. The rows that are found are in the order of the table. */
export function rowsSetBy(fieldsOfRows: readonly (readonly string[])[]): RowsSetBy {
  const kinds = fieldsByKind(fieldsOfRows);
  return (resources) => {
    const found = new Set<number>();
    for (const { kind, spec } of resources) {
      const below = kinds.get(String(kind));
      if (below !== undefined) collect(spec, below, found);
    }
    return [...found].toSorted((one, other) => one - other);
  };
}

/** What the table says of a member, and of the members below it. */
interface Below {
  /** Rows of the table for this very member. */
  readonly rows: number[];
  readonly members: Map<string, Below>;
}

/** The table as a tree for each kind: a resource is walked once, and not once for each row. */
function fieldsByKind(fieldsOfRows: readonly (readonly string[])[]): ReadonlyMap<string, Below> {
  const kinds = new Map<string, Below>();
  fieldsOfRows.forEach((fields, row) => {
    for (const field of fields) {
      const [kind = '', ...members] = field.split('.');
      let place = memberOf(kinds, kind);
      for (const member of members) place = memberOf(place.members, member);
      place.rows.push(row);
    }
  });
  return kinds;
}

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

/** A kind, and a path below the `spec` of its resources. */
export const FIELD = /^[A-Z]\w+(\.[\w*]+)+$/;
