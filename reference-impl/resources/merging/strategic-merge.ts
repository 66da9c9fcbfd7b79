import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { inPatchOrder } from './element-order.ts';
import { followDirective, isListDirective } from './list-directives.ts';
import { isKeyedList, type KeyedList, keyOf, type Shape } from './merge-keys.ts';

/** What a `null` in a patch says: that the field goes, or nothing. */
export type Nulls = 'remove' | 'ignore';

/** What holds for one whole merge. */
export interface Merging {
  readonly nulls: Nulls;
  /**
   * Overlays are merged as the documents say, patches as the orchestrator's own server merges them: it knows `$retainKeys`,
   * and leaves an empty map where one is deleted. docs/decisions/overlay-directives.md
   */
  readonly dialect: 'overlay' | 'patch';
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
): JsonObject | undefined {
  const directive = directiveOf(patch, merging);
  if (directive === 'delete') return undefined;
  if (directive === 'replace') {
    const { $patch: _, ...content } = patch;
    return strategicMerge({}, content, shape, merging);
  }
  const merged = new Map(Object.entries(original).filter(([key]) => isRetained(key, patch, merging)));
  for (const [key, value] of Object.entries(patch)) {
    if (key === '$patch' || isListDirective(key)) continue;
    const field = mergeField(merged.get(key), value, shape[key], within(key, merging));
    if (field === undefined) merged.delete(key);
    else merged.set(key, field);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (!isListDirective(key) || isRetention(key, merging)) continue;
    const field = key.slice(key.indexOf('/') + 1);
    const directed = { key, argument: value, items: merged.get(field), before: original[field] };
    const outcome = followDirective(directed, shape[field]);
    if (outcome === undefined) merging.problem(key, 'is no directive, or not one for a list');
    else if (merged.has(field)) merged.set(field, outcome);
  }
  return Object.fromEntries(merged);
}

/** The same merge one step further in: what it tells is told with the whole path. */
function within(step: string, merging: Merging): Merging {
  const problem: Merging['problem'] = (path, message) => {
    merging.problem(path === '' || path.startsWith('[') ? `${step}${path}` : `${step}.${path}`, message);
  };
  return { ...merging, problem };
}

const RETAIN = '$retainKeys';

function isRetention(key: string, { dialect }: Merging): boolean {
  return key === RETAIN && dialect === 'patch';
}

/** `$retainKeys` lists the members that stay; all do without it. */
function isRetained(key: string, { [RETAIN]: retained }: JsonObject, { dialect }: Merging): boolean {
  return dialect === 'overlay' || !isJsonList(retained) || retained.includes(key);
}

/** The value of one field after the patch; undefined when there is none. */
function mergeField(
  original: Json | undefined,
  patch: Json,
  shape: Shape[string] | undefined,
  merging: Merging,
): Json | undefined {
  // OVERLAY-011: docs/decisions/overlay-null.md
  if (patch === null) return merging.nulls === 'remove' ? undefined : original;
  if (isJsonList(patch)) {
    const before = isJsonList(original) ? original : [];
    if (shape === 'values') return mergeValues(before, patch);
    return isKeyedList(shape) ? mergeList(before, patch, shape, merging) : unkeyedList(patch, merging);
  }
  if (!isJsonObject(patch)) return patch;
  const inner = shape === undefined || shape === 'values' || isKeyedList(shape) ? {} : shape;
  const merged = strategicMerge(isJsonObject(original) ? original : {}, patch, inner, merging);
  return merged ?? (merging.dialect === 'patch' ? {} : undefined);
}

/** OVERLAY-005, OVERLAY-008, OVERLAY-010: item by item; `$patch: replace` as an item of its own replaces the list. */
function mergeList(
  original: readonly Json[],
  patch: readonly Json[],
  list: KeyedList,
  merging: Merging,
): readonly Json[] {
  const items = patch.filter((item): item is JsonObject => isUsable(item, list, merging));
  const plain = items.filter((item) => item['$patch'] === undefined);
  const replaces = items.some((item) => item['$patch'] === 'replace');
  const deleted = new Set(items.filter(isDelete).map((item) => keyOf(item, list)));
  const kept = replaces ? [] : original.filter((item) => isJsonObject(item) && !deleted.has(keyOf(item, list)));
  const merged = new Map(kept.filter(isJsonObject).map((item) => [keyOf(item, list), item]));
  for (const item of plain) {
    const key = keyOf(item, list);
    const next = strategicMerge(merged.get(key) ?? {}, item, list.items, within(`[${key}]`, merging));
    if (next !== undefined) merged.set(key, next);
  }
  const order = inPatchOrder(
    [...merged.keys()],
    plain.map((item) => keyOf(item, list)),
    original.filter(isJsonObject).map((item) => keyOf(item, list)),
  );
  return order.flatMap((key) => merged.get(key) ?? []);
}

function isUsable(item: Json, list: KeyedList, merging: Merging): boolean {
  if (!isJsonObject(item)) {
    merging.problem('', `an item of a list that merges by ${list.mergeBy} is an object`);
    return false;
  }
  const directive = directiveOf(item, merging);
  if (directive === 'replace' || list.keyOptional === true || item[list.mergeBy] !== undefined) return true;
  merging.problem('', `an item of this list needs ${list.mergeBy}, by which it merges`);
  return false;
}

function isDelete(item: JsonObject): boolean {
  return item['$patch'] === 'delete';
}

/** Every value once. */
function mergeValues(original: readonly Json[], patch: readonly Json[]): readonly Json[] {
  const values = new Map([...original, ...patch].map((item) => [textOf(item), item]));
  const order = inPatchOrder([...values.keys()], patch.map(textOf), original.map(textOf));
  return order.flatMap((key) => values.get(key) ?? []);
}

function textOf(value: Json): string {
  return JSON.stringify(value);
}

/** Nothing says which item a `$patch: delete` could mean; `$patch: replace` says what happens anyway. */
function unkeyedList(patch: readonly Json[], merging: Merging): readonly Json[] {
  return patch.flatMap((item) => {
    if (!isJsonObject(item)) return [item];
    const directive = directiveOf(item, merging);
    if (directive === 'delete') merging.problem('', 'items of this list have no key, so none can be deleted');
    return directive === undefined ? (strategicMerge({}, item, {}, merging) ?? []) : [];
  });
}

type Directive = 'delete' | 'replace';

function directiveOf(patch: JsonObject, { problem }: Merging): Directive | undefined {
  const written = patch['$patch'];
  if (written === undefined || written === 'delete' || written === 'replace') return written;
  problem('', `$patch is delete or replace, not ${JSON.stringify(written)}`);
  return undefined;
}
