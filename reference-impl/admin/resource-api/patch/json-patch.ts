import { isDeepStrictEqual } from 'node:util';
import { type Fields, isFields } from '../../../resources/groups.ts';
import { countValues } from '../value-count.ts';

/** The patched document; `refused` when the patch is malformed, `failed` when it does not fit the document. */
export type JsonPatched = { readonly value: unknown } | { readonly refused: string } | { readonly failed: string };

const MAX_OPERATIONS = 10_000;

/** Values all copies of a patch may have together: copies of copies grow without bound. */
const MAX_COPIED = 100_000;

// Not rfc6902: it changes the document in place, goes on after an operation that failed, cannot replace the whole document,
// takes `/list/01` for a member of the list and lets copies of copies grow.

/** RFC 6902. All operations or none; changes no argument. */
export function jsonPatch(document: unknown, operations: readonly unknown[]): JsonPatched {
  if (operations.length > MAX_OPERATIONS) return { refused: `a patch may have ${MAX_OPERATIONS} operations` };
  let value = document;
  let copied = 0;
  let own: Own = new Set();
  for (const [index, operation] of operations.entries()) {
    const read = readOperation(operation);
    if (typeof read === 'string') return { refused: `operation ${index}: ${read}` };
    if (read.op === 'copy') copied += countValues(lookUp(value, read.from).value, MAX_COPIED);
    if (copied > MAX_COPIED) return { refused: `operation ${index}: the patch copies too much` };
    const next = APPLY[read.op](value, read, own);
    // What stands in two places now must not be changed in one of them.
    if (read.op === 'copy') own = new Set();
    if ('failed' in next)
      return { failed: `operation ${index} (${read.op} ${operationPath(operation)}): ${next.failed}` };
    value = next.value;
  }
  return { value };
}

/** Copies that this patch made and nothing else refers to: to copy them for every operation again takes time squared. */
type Own = Set<object>;

type Pointer = readonly string[];
type Edited = { readonly value: unknown } | { readonly failed: string };
type OperationName = 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';

interface Operation {
  readonly op: OperationName;
  readonly path: Pointer;
  readonly from: Pointer;
  readonly value: unknown;
}

const APPLY: Readonly<Record<OperationName, (document: unknown, operation: Operation, own: Own) => Edited>> = {
  add: (document, { path, value }, own) => edit(document, path, { insert: value }, own),
  remove: (document, { path }, own) => edit(document, path, 'remove', own),
  replace: (document, { path, value }, own) => edit(document, path, { replace: value }, own),
  test: (document, { path, value }) => {
    const found = lookUp(document, path);
    return found.found && isDeepStrictEqual(found.value, value) ? { value: document } : { failed: 'the test failed' };
  },
  copy: (document, { path, from }, own) => {
    const found = lookUp(document, from);
    return found.found ? edit(document, path, { insert: found.value }, own) : MISSING;
  },
  move: (document, { path, from }, own) => {
    const found = lookUp(document, from);
    if (!found.found) return MISSING;
    if (path.length > from.length && from.every((step, index) => step === path[index])) {
      return { failed: 'a value cannot be moved into itself' };
    }
    const removed = edit(document, from, 'remove', own);
    return 'failed' in removed ? removed : edit(removed.value, path, { insert: found.value }, own);
  },
};

const MISSING = { failed: 'there is no such value' };

function readOperation(operation: unknown): Operation | string {
  if (!isFields(operation)) return 'must be an object';
  const { op, value } = operation;
  const path = pointer(operation['path']);
  if (path === undefined) return 'path must be a JSON pointer';
  if (typeof op !== 'string' || !isOperationName(op)) return `unknown op ${JSON.stringify(op) ?? 'undefined'}`;
  const from = op === 'copy' || op === 'move' ? pointer(operation['from']) : [];
  if (from === undefined) return 'from must be a JSON pointer';
  if (value === undefined && (op === 'add' || op === 'replace' || op === 'test')) return 'value is missing';
  return { op, path, from, value };
}

function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(APPLY, name);
}

/** RFC 6901. */
function pointer(text: unknown): Pointer | undefined {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/')) || /~(?![01])/.test(text)) return undefined;
  const steps = text.split('/').slice(1);
  return steps.length > MAX_STEPS ? undefined : steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** No resource is deeper. */
const MAX_STEPS = 64;

function lookUp(document: unknown, path: Pointer): { readonly found: boolean; readonly value: unknown } {
  let value = document;
  for (const step of path) {
    const inner = memberOf(value, step);
    if (!inner.found) return inner;
    value = inner.value;
  }
  return { found: true, value };
}

function memberOf(value: unknown, step: string): { readonly found: boolean; readonly value: unknown } {
  const member = Array.isArray(value) ? indexOf(step, value.length - 1) : step;
  if (typeof value !== 'object' || value === null || member === undefined || !Object.hasOwn(value, member)) {
    return { found: false, value: undefined };
  }
  return { found: true, value: Reflect.get(value, member) };
}

type Edit = 'remove' | { readonly insert: unknown } | { readonly replace: unknown };

/** A copy of the document with one value changed, or an own document changed; what lies beside the path is shared. */
function edit(document: unknown, path: Pointer, change: Edit, own: Own): Edited {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (change === 'remove') return { failed: 'the whole document cannot be removed' };
    return { value: 'insert' in change ? change.insert : change.replace };
  }
  if (rest.length > 0) {
    const inner = memberOf(document, step);
    const changed = inner.found ? edit(inner.value, rest, change, own) : MISSING;
    return 'failed' in changed ? changed : { value: withMember(document, step, changed.value, own) };
  }
  if (Array.isArray(document)) return editList(document, step, change, own);
  if (!isFields(document)) return MISSING;
  if (change !== 'remove' && 'insert' in change) return { value: withMember(document, step, change.insert, own) };
  if (!Object.hasOwn(document, step)) return MISSING;
  if (change !== 'remove') return { value: withMember(document, step, change.replace, own) };
  const left = ownMap(document, own);
  Reflect.deleteProperty(left, step);
  return { value: left };
}

function editList(list: unknown[], step: string, change: Edit, own: Own): Edited {
  const inserts = change !== 'remove' && 'insert' in change;
  const index = inserts && step === '-' ? list.length : indexOf(step, inserts ? list.length : list.length - 1);
  if (index === undefined) return { failed: 'there is no such item' };
  const items = ownList(list, own);
  if (change === 'remove') items.splice(index, 1);
  else if (inserts) items.splice(index, 0, change.insert);
  else items[index] = change.replace;
  return { value: items };
}

function withMember(document: unknown, step: string, value: unknown, own: Own): unknown {
  if (Array.isArray(document)) {
    const items = ownList(document, own);
    items[Number(step)] = value;
    return items;
  }
  const map = ownMap(isFields(document) ? document : {}, own);
  // An assignment would make `__proto__` something else than a member.
  Object.defineProperty(map, step, { value, configurable: true, enumerable: true, writable: true });
  return map;
}

function ownList(list: unknown[], own: Own): unknown[] {
  if (own.has(list)) return list;
  const copy = [...list];
  own.add(copy);
  return copy;
}

function ownMap(map: Fields, own: Own): Fields {
  if (own.has(map)) return map;
  const copy = { ...map };
  own.add(copy);
  return copy;
}

function indexOf(step: string, last: number): number | undefined {
  const index = /^(0|[1-9]\d{0,8})$/.test(step) ? Number(step) : Infinity;
  return index <= last ? index : undefined;
}

function operationPath(operation: unknown): string {
  const path = isFields(operation) ? operation['path'] : undefined;
  return typeof path === 'string' ? path.slice(0, 200) : '';
}
