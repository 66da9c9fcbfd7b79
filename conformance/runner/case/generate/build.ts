import { isList, isObject } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { groupsOf, partners, typeParts, type Field, type FieldTable } from './field-table.ts';
import type { Fragments } from './fragments.ts';
import type { Place } from './places.ts';

/** What is put at a field: a value, or nothing at all. */
export type Leaf = { readonly value: unknown } | 'absent';

/** A leaf and the path of the field it is put at. */
export type Placed = readonly [path: string, leaf: Leaf];

/** Builds valid resources around one field. All methods return fresh plain data. */
export interface Builder {
  /** A small valid value of a field, the n-th of its kind. */
  readonly valueOf: (field: Field, n?: number) => unknown;
  /** A small valid value of a type. */
  readonly minimal: (type: string, n?: number) => unknown;
  /** The whole resource with the leaves put at fields of the block that stands at the place. */
  readonly resource: (place: Place, kind: string, leaves: readonly Placed[]) => JsonObject;
}

type Mutable = Record<string, unknown>;

export function createBuilder(table: FieldTable, fragments: Fragments): Builder {
  const minimal = (type: string, n = 0): unknown => {
    if (Object.hasOwn(fragments.values, type)) return withNumber(fragments.values[type], n);
    const { wrap, item } = typeParts(type);
    if (wrap === 'list') return [minimal(item, n)];
    if (wrap === 'map') return { [`k${n}`]: minimal(item, n) };
    const self = table.find(type, '.');
    if (self?.enum !== undefined) return oneOf(self.enum, n);
    if (table.isBlock(type)) return inline(type, '', n);
    return PLAIN[self?.type ?? type] ?? withNumber('a#', n);
  };
  const valueOf = (field: Field, n = 0): unknown => {
    const key = `${field.kind}.${field.path}`;
    if (Object.hasOwn(fragments.values, key)) return withNumber(fragments.values[key], n);
    const { wrap, item } = typeParts(field.type);
    if (field.enum?.[0] !== undefined) return wrapIn(oneOf(field.enum, n), wrap);
    if (item === 'integer' && wrap === undefined) return field.min ?? 1;
    if (item !== 'object') return minimal(field.type, n);
    return wrapIn(inline(field.kind, `${field.path}${wrap === 'list' ? '[]' : ''}`, n), wrap);
  };
  // The required members below a path, and of every group that wants one its first.
  const inline = (kind: string, prefix: string, n: number): Mutable => {
    const own = fragments.values[`${kind}.${prefix}`];
    if (prefix !== '' && isObject(own)) return { ...own };
    const begun = new Set<string>();
    const members = fieldsBelow(table, kind, prefix).filter((field) => {
      const wanted = groupsOf(field).find(({ rule, name }) => rule === 'exactly-one' && !begun.has(name));
      if (wanted !== undefined) begun.add(wanted.name);
      return field.required === true || wanted !== undefined;
    });
    return Object.fromEntries(members.map((field) => [lastName(field.path), valueOf(field, n)]));
  };
  const put = (kind: string, owner: Mutable, [path, leaf]: Placed, keep: readonly string[] = []): void => {
    const parent = descend(kind, owner, path);
    const name = lastName(path);
    if (leaf !== 'absent')
      for (const rival of rivals(table, kind, path)) if (!keep.includes(rival)) delete parent[rival];
    if (leaf === 'absent') {
      delete parent[name];
      return;
    }
    parent[name] = leaf.value;
    addBeside(parent, `${kind}.${path}`);
    if (typeof leaf.value === 'string') addBeside(parent, `${kind}.${path}=${leaf.value}`);
  };
  const addBeside = (parent: Mutable, key: string): void => {
    for (const [member, value] of Object.entries(fragments.with[key] ?? {})) {
      if (value === null) delete parent[member];
      else parent[member] = structuredClone(value);
    }
  };
  // Whether a block may be empty is not stated: what is left out of one leaves another setting behind where there is one.
  const instead = (kind: string, path: string): Mutable => {
    const prefix = path.slice(0, -lastName(path).length).replace(/\.$/, '');
    const fields = fieldsBelow(table, kind, prefix);
    const isTold = fields.some(
      (field) => (field.path === path && field.required) || groupsOf(field).some(({ rule }) => rule === 'exactly-one'),
    );
    if (isTold) return {};
    const other = fields.find(
      (field) => field.path !== path && field.required !== true && groupsOf(field).length === 0,
    );
    return other === undefined ? {} : { [lastName(other.path)]: valueOf(other) };
  };
  // Walks to the object that holds the last name of the path, making what is not there.
  const descend = (kind: string, owner: Mutable, path: string): Mutable => {
    let at = owner;
    let prefix = '';
    for (const segment of path.split('.').slice(0, -1)) {
      const name = segment.replace(/\[\]$/, '');
      const field = prefix === '' ? name : `${prefix}.${name}`;
      prefix = prefix === '' ? segment : `${prefix}.${segment}`;
      for (const rival of rivals(table, kind, field)) delete at[rival];
      addBeside(at, `${kind}.${field}`);
      const there = isList(at[name]) ? at[name][0] : at[name];
      const next: Mutable = isObject(there) ? { ...there } : inline(kind, prefix, 0);
      at[name] = segment.endsWith('[]') ? [next] : next;
      at = next;
    }
    return at;
  };
  const block = (kind: string): Mutable => {
    const value = structuredClone(minimal(kind));
    return isObject(value) ? { ...value } : {};
  };
  return {
    valueOf,
    minimal,
    resource: (place, kind, leaves) => {
      let inner = block(kind);
      const given = leaves.flatMap(([path, leaf]) => (leaf === 'absent' ? [] : [lastName(path)]));
      for (const placed of leaves) put(kind, inner, placed, given);
      for (const [path, leaf] of leaves) {
        const parent = leaf === 'absent' ? descend(kind, inner, path) : undefined;
        if (parent !== undefined && Object.keys(parent).length === 0) Object.assign(parent, instead(kind, path));
      }
      for (const hop of place.hops.toReversed()) {
        const outer = block(hop.kind);
        put(hop.kind, outer, [hop.path, { value: wrapIn(inner, hop.wrap) }]);
        const field = table.find(hop.kind, hop.path);
        const beside = field === undefined ? [] : partners(field, table);
        for (const other of beside) put(hop.kind, outer, [other.path, { value: valueOf(other) }]);
        inner = outer;
      }
      return inner;
    },
  };
}

/** The n-th value of a set, so that items of a list differ where they can. */
function oneOf(values: readonly string[], n: number): string | undefined {
  return values[n % values.length];
}

const PLAIN: Readonly<Record<string, unknown>> = {
  integer: 1,
  boolean: true,
  object: {},
  'object(JSON)': {},
  any: {},
  JSON: {},
  unspecified: {},
};

/** The fields of one object: below `spec.shutdown` those of `spec.shutdown.min`, not of `spec`. */
export function fieldsBelow(table: FieldTable, kind: string, prefix: string): readonly Field[] {
  const start = prefix === '' ? '' : `${prefix}.`;
  return table
    .of(kind)
    .filter(({ path }) => path.startsWith(start) && !path.slice(start.length).includes('.') && path !== '(inline)');
}

/** The last name of a path. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Everything that may not stand beside the field, because one group holds both. */
function rivals(table: FieldTable, kind: string, path: string): readonly string[] {
  const field = table.find(kind, path);
  if (field === undefined) return [];
  const groups = groupsOf(field).filter(({ rule }) => rule !== 'all-or-none');
  return table
    .of(kind)
    .filter((other) => other !== field && groupsOf(other).some(({ name }) => groups.some((own) => own.name === name)))
    .map((other) => lastName(other.path));
}

function wrapIn(value: unknown, wrap: 'list' | 'map' | undefined): unknown {
  if (wrap === undefined) return value;
  return wrap === 'list' ? [value] : { k0: value };
}

/** A copy in which `#` in every text has become the number. */
function withNumber(value: unknown, n: number): unknown {
  if (typeof value === 'string') return value.replaceAll('#', String(n));
  if (isList(value)) return value.map((item) => withNumber(item, n));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.replaceAll('#', String(n)), withNumber(item, n)]),
  );
}
