import { inPatchOrder } from './element-order.ts';
import { followed, isListDirective } from './list-directives.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from './manifest.ts';
import { isKeyedList, type KeyedList, keyOf, type Shape } from './merge-keys.ts';

/** What a `null` in a patch says: that the field goes, or nothing. */
export type Nulls = 'remove' | 'ignore';

/** What holds for one whole merge. */
export interface Merging {
  readonly nulls: Nulls;
  /** Told what cannot be followed, with the path of its place. */
  readonly problem: (path: string, message: string) => void;
}

/**
 * Merges a patch into an object (OVERLAY-004 to OVERLAY-010): scalars and unkeyed lists are replaced, maps and keyed lists
 * merge. Undefined when the patch deletes the object itself. Neither argument is changed. Directives: docs/decisions/overlay-directives.md
 */
export function strategicMerge(
  original: JsonObject,
  patch: JsonObject,
  shape: Shape,
  merging: Merging,
  path = '',
): JsonObject | undefined {
  const directive = directiveOf(patch, path, merging);
  if (directive === 'delete') return undefined;
  if (directive === 'replace') {
    const { $patch: _, ...content } = patch;
    return strategicMerge({}, content, shape, merging, path);
  }
  const merged = new Map(Object.entries(original));
  for (const [key, value] of Object.entries(patch)) {
    if (key === '$patch' || isListDirective(key)) continue;
    const field = mergeField(merged.get(key), value, shape[key], merging, joined(path, key));
    if (field === undefined) merged.delete(key);
    else merged.set(key, field);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (!isListDirective(key)) continue;
    const field = key.slice(key.indexOf('/') + 1);
    const outcome = followed({ key, argument: value, items: merged.get(field), before: original[field] }, shape[field]);
    if (outcome === undefined) merging.problem(joined(path, key), 'is no directive, or not one for a list');
    else if (merged.has(field)) merged.set(field, outcome);
  }
  return Object.fromEntries(merged);
}

/** The value of one field after the patch; undefined when there is none. */
function mergeField(
  original: Json | undefined,
  patch: Json,
  shape: Shape | KeyedList | undefined,
  merging: Merging,
  path: string,
): Json | undefined {
  // OVERLAY-011: docs/decisions/overlay-null.md
  if (patch === null) return merging.nulls === 'remove' ? undefined : original;
  if (isJsonList(patch)) {
    const before = isJsonList(original) ? original : [];
    return isKeyedList(shape) ? mergeList(before, patch, shape, merging, path) : unkeyedList(patch, merging, path);
  }
  if (!isJsonObject(patch)) return patch;
  const inner = isKeyedList(shape) ? {} : (shape ?? {});
  return strategicMerge(isJsonObject(original) ? original : {}, patch, inner, merging, path);
}

/** OVERLAY-005, OVERLAY-008, OVERLAY-010: item by item; `$patch: replace` as an item of its own replaces the list. */
function mergeList(
  original: readonly Json[],
  patch: readonly Json[],
  list: KeyedList,
  merging: Merging,
  path: string,
): readonly Json[] {
  const items = patch.filter((item): item is JsonObject => isUsable(item, list, merging, path));
  const plain = items.filter((item) => item['$patch'] === undefined);
  const replaces = items.some((item) => item['$patch'] === 'replace');
  const deleted = new Set(items.filter(isDelete).map((item) => keyOf(item, list)));
  const kept = replaces ? [] : original.filter((item) => isJsonObject(item) && !deleted.has(keyOf(item, list)));
  const merged = new Map(kept.filter(isJsonObject).map((item) => [keyOf(item, list), item]));
  for (const item of plain) {
    const key = keyOf(item, list);
    const next = strategicMerge(merged.get(key) ?? {}, item, list.items, merging, `${path}[${key}]`);
    if (next !== undefined) merged.set(key, next);
  }
  const order = inPatchOrder(
    [...merged.keys()],
    plain.map((item) => keyOf(item, list)),
    original.filter(isJsonObject).map((item) => keyOf(item, list)),
  );
  return order.flatMap((key) => merged.get(key) ?? []);
}

function isUsable(item: Json, list: KeyedList, merging: Merging, path: string): boolean {
  if (!isJsonObject(item)) {
    merging.problem(path, `an item of a list that merges by ${list.mergeBy} is an object`);
    return false;
  }
  const directive = directiveOf(item, path, merging);
  if (directive === 'replace' || list.keyOptional === true || item[list.mergeBy] !== undefined) return true;
  merging.problem(path, `an item of this list needs ${list.mergeBy}, by which it merges`);
  return false;
}

function isDelete(item: JsonObject): boolean {
  return item['$patch'] === 'delete';
}

/** Nothing says which item a `$patch: delete` could mean; `$patch: replace` says what happens anyway. */
function unkeyedList(patch: readonly Json[], merging: Merging, path: string): readonly Json[] {
  return patch.flatMap((item) => {
    if (!isJsonObject(item)) return [item];
    const directive = directiveOf(item, path, merging);
    if (directive === 'delete') merging.problem(path, 'items of this list have no key, so none can be deleted');
    return directive === undefined ? (strategicMerge({}, item, {}, merging, path) ?? []) : [];
  });
}

type Directive = 'delete' | 'replace';

function directiveOf(patch: JsonObject, path: string, merging: Merging): Directive | undefined {
  const written = patch['$patch'];
  if (written === undefined || written === 'delete' || written === 'replace') return written;
  merging.problem(path, `$patch is delete or replace, not ${JSON.stringify(written)}`);
  return undefined;
}

function joined(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
