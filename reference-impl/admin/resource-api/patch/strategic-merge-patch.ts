import { isDeepStrictEqual } from 'node:util';
import { type Fields, isFields } from '../../../resources/groups.ts';
import type { KindName } from '../../../resources/kinds.ts';

/** The lists that are merged item by item, with the member that tells items apart; empty for lists of plain values. */
const MERGED_LISTS: Partial<Readonly<Record<KindName, Readonly<Record<string, string>>>>> = {
  Service: { 'spec.ports': 'port' },
  Pod: { 'status.conditions': 'type' },
};
const MERGED_METADATA: Readonly<Record<string, string>> = {
  'metadata.ownerReferences': 'uid',
  'metadata.finalizers': '',
};

const DELETE_FROM = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';

/**
 * The strategic merge of the orchestrator's own kinds: like a JSON merge patch, but the lists above are merged by key,
 * and `$patch`, `$retainKeys` and `$deleteFromPrimitiveList` are understood. `$setElementOrder` changes nothing.
 */
export function strategicMergePatch(kind: KindName, target: unknown, patch: unknown, path = ''): unknown {
  if (!isFields(patch)) return patch;
  if (patch['$patch'] === 'replace') return withoutDirectives(patch);
  if (patch['$patch'] === 'delete') return {};

  const merged = new Map(Object.entries(isFields(target) ? target : {}));
  const { $retainKeys: retained } = patch;
  if (Array.isArray(retained))
    for (const member of merged.keys()) if (!retained.includes(member)) merged.delete(member);
  for (const [member, value] of Object.entries(patch)) {
    if (member === '$patch' || member === '$retainKeys' || member.startsWith(ORDER)) continue;
    const inner = path === '' ? member : `${path}.${member}`;
    if (member.startsWith(DELETE_FROM)) {
      const list = member.slice(DELETE_FROM.length);
      merged.set(list, without(merged.get(list), value));
    } else if (value === null) merged.delete(member);
    else if (Array.isArray(value)) merged.set(member, mergedList(kind, merged.get(member), value, inner));
    else merged.set(member, strategicMergePatch(kind, merged.get(member), value, inner));
  }
  return Object.fromEntries(merged);
}

function mergedList(kind: KindName, target: unknown, patch: readonly unknown[], path: string): unknown {
  const key = MERGED_LISTS[kind]?.[path] ?? MERGED_METADATA[path];
  const existing: readonly unknown[] = Array.isArray(target) ? target : [];
  const plain = patch.filter((item) => !isDirective(item, 'replace'));
  if (key === undefined || plain.length < patch.length) return plain;
  if (key === '')
    return [...existing, ...plain.filter((item) => !existing.some((one) => isDeepStrictEqual(one, item)))];

  const items = [...existing];
  for (const item of plain) {
    const index = items.findIndex((one) => isFields(one) && isFields(item) && isDeepStrictEqual(one[key], item[key]));
    if (isDirective(item, 'delete')) {
      if (index >= 0) items.splice(index, 1);
    } else if (index >= 0) items[index] = strategicMergePatch(kind, items[index], item, path);
    else items.push(isFields(item) ? withoutDirectives(item) : item);
  }
  return items;
}

function isDirective(item: unknown, directive: string): boolean {
  return isFields(item) && item['$patch'] === directive;
}

function withoutDirectives(patch: Fields): Fields {
  return Object.fromEntries(Object.entries(patch).filter(([member]) => !member.startsWith('$')));
}

function without(list: unknown, removed: unknown): unknown {
  if (!Array.isArray(list) || !Array.isArray(removed)) return list;
  return list.filter((item: unknown) => !removed.some((one) => isDeepStrictEqual(one, item)));
}
