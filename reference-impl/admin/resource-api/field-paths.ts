import { isDeepStrictEqual } from 'node:util';
import { perObject } from '../../base/per-object.ts';
import { type Fields, isFields } from '../../resources/groups.ts';
import type { KindName } from '../../resources/kinds.ts';
import { isKeyedList, MERGE_KEYS, type Shape } from '../../resources/merging/merge-keys.ts';

/** The way to one field: `f:NAME` into a map, `k:{"name":"a"}` to the item of a keyed list. */
export type FieldPath = readonly string[];

/** Fields of one object, by their path as JSON. */
export type FieldSet = ReadonlyMap<string, FieldPath>;

/** The members that identify an item, each with the value it has when it is left out. */
type Keys = Readonly<Record<string, string | undefined>>;

/** The members of an object that nobody owns. */
const UNOWNED_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'status']);
const OWNED_METADATA: ReadonlySet<string> = new Set(['labels', 'annotations', 'finalizers', 'ownerReferences']);

/** An object with only what a manager can own. */
export function ownable(object: Fields): Fields {
  const metadata = isFields(object['metadata']) ? object['metadata'] : {};
  const owned = Object.fromEntries(Object.entries(metadata).filter(([member]) => OWNED_METADATA.has(member)));
  const rest = Object.fromEntries(
    Object.entries(object).filter(([member]) => member !== 'metadata' && !UNOWNED_MEMBERS.has(member)),
  );
  return Object.keys(owned).length === 0 ? rest : { ...rest, metadata: owned };
}

/** Every leaf of a value, and every item of a keyed list. */
export function fieldsOf(kind: KindName, value: unknown, path: FieldPath = []): FieldSet {
  const found: [string, FieldPath][] = [];
  const visit = (inner: unknown, at: FieldPath): void => {
    const items = keyedItems(kind, inner, at);
    if (items !== undefined) {
      for (const [step, item] of items) {
        found.push(entry([...at, step]));
        visit(item, [...at, step]);
      }
    } else if (isFields(inner) && Object.keys(inner).length > 0) {
      for (const [member, child] of Object.entries(inner)) visit(child, [...at, `f:${member}`]);
    } else if (at.length > 0) found.push(entry(at));
  };
  visit(value, path);
  return new Map(found);
}

/** The items of a keyed list by their step; undefined for anything else, and for lists that repeat a key. */
export function keyedItems(kind: KindName, value: unknown, path: FieldPath): ReadonlyMap<string, Fields> | undefined {
  const keys = keysAt(kind, path);
  return keys === undefined || !Array.isArray(value) ? undefined : itemsOf(value)(keys);
}

/** Every field of every item asks for the items again: without memory, the time is that of the list squared. */
const itemsOf = perObject((list: readonly unknown[]) =>
  perObject((keys: Keys): ReadonlyMap<string, Fields> | undefined => {
    if (!list.every(isFields)) return undefined;
    const items = new Map(list.map((item) => [stepOf(item, keys), item]));
    return items.size === list.length ? items : undefined;
  }),
);

/** What identifies the items of a list; undefined for lists that are one value, replaced as a whole. */
function keysAt(kind: KindName, path: FieldPath): Keys | undefined {
  let shape: Shape[string] | undefined = MERGE_KEYS[kind];
  for (const step of path) {
    if (shape === undefined || shape === 'values') return undefined;
    if (isKeyedList(shape)) shape = shape.items;
    else shape = shape[step.slice(2)];
  }
  return isKeyedList(shape) ? shape.ownedBy : undefined;
}

/** The value at a path; undefined when there is none. */
function valueAt(kind: KindName, root: unknown, path: FieldPath): unknown {
  let value = root;
  for (const [index, step] of path.entries()) {
    if (step.startsWith('k:')) value = keyedItems(kind, value, path.slice(0, index))?.get(step);
    else value = isFields(value) && Object.hasOwn(value, step.slice(2)) ? value[step.slice(2)] : undefined;
  }
  return value;
}

/** Whether two objects have the same value at a path; of an item of a list only its being there counts. */
export function sameAt(kind: KindName, one: unknown, other: unknown, path: FieldPath): boolean {
  const [left, right] = [valueAt(kind, one, path), valueAt(kind, other, path)];
  if (path.at(-1)?.startsWith('k:') === true) return (left === undefined) === (right === undefined);
  return isDeepStrictEqual(left, right);
}

/** A value without the fields of a set. */
export function withoutFields(kind: KindName, value: unknown, removed: FieldSet, path: FieldPath = []): unknown {
  const items = keyedItems(kind, value, path);
  const stays = (step: string): boolean => !removed.has(JSON.stringify([...path, step]));
  if (items !== undefined) {
    const kept = [...items].filter(([step]) => stays(step));
    return kept.map(([step, item]) => withoutFields(kind, item, removed, [...path, step]));
  }
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => stays(`f:${member}`))
      .map(([member, inner]) => [member, withoutFields(kind, inner, removed, [...path, `f:${member}`])]),
  );
}

/** `.spec.listeners[name="http"].port`, as conflicts name a field. */
export function fieldText(path: FieldPath): string {
  return path.map((step) => (step.startsWith('f:') ? `.${step.slice(2)}` : keyText(step.slice(2)))).join('');
}

export function entry(path: FieldPath): [string, FieldPath] {
  return [JSON.stringify(path), path];
}

function stepOf(item: Fields, keys: Keys): string {
  const values = Object.keys(keys).map((name) => [name, item[name] ?? keys[name] ?? null]);
  return `k:${JSON.stringify(Object.fromEntries(values))}`;
}

function keyText(json: string): string {
  return `[${json.slice(1, -1).replaceAll(/"(\w+)":/g, '$1=')}]`;
}
