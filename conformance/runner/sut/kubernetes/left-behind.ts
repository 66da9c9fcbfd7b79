import { isList, isObject } from '../../values/json.ts';

type Members = Readonly<Record<string, unknown>>;

/** What says nothing of how the object is to be: the server writes it, or a subresource takes it. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'status']);
/** Of the metadata of an object what a case may take out. */
const IN_METADATA: readonly string[] = ['labels', 'annotations'];

/**
 * A merge patch that takes out of an object what was written before and is no longer; undefined where nothing of it is left. A server leaves a field
 * that somebody else has applied as well, and says nothing of it.
 */
export function leftBehind(before: Members, now: Members, live: unknown): Members | undefined {
  if (!isObject(live)) return undefined;
  const patch = Object.keys(before).flatMap((key): [string, unknown][] => {
    if (NOT_WRITTEN.has(key)) return [];
    const part = key === 'metadata' ? inMetadata(before, now, live) : changeOf(before[key], now[key], live[key]);
    return part === undefined ? [] : [[key, part]];
  });
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}

/** A merge patch that makes an object what is written, and takes out of it what the other patch does. */
export function over(now: Members, patch: Members): Members {
  return both(Object.fromEntries(Object.entries(now).filter(([key]) => !NOT_WRITTEN.has(key))), patch);
}

function both(one: Members, other: Members): Members {
  const parts = Object.entries(other).map(([key, part]): [string, unknown] => {
    const there = one[key];
    return [key, isObject(there) && isObject(part) ? both(there, part) : part];
  });
  return { ...one, ...Object.fromEntries(parts) };
}

function inMetadata(before: Members, now: Members, live: Members): unknown {
  const [then, wanted, there] = [before, now, live].map(({ metadata }) => (isObject(metadata) ? metadata : {}));
  return ofMembers(only(then), only(wanted), only(there));
}

/** Those of others stay, so none of them is gone as a whole. */
function only(metadata: Members = {}): Members {
  return Object.fromEntries(IN_METADATA.map((key) => [key, metadata[key] ?? {}]));
}

/** Undefined where nothing has to change; null where the value has to go. */
function changeOf(before: unknown, now: unknown, live: unknown): unknown {
  if (live === undefined || before === undefined) return undefined;
  if (now === undefined) return null;
  if (isObject(before) && isObject(now) && isObject(live)) return ofMembers(before, now, live);
  // Members of lists have no names in a patch: the list is written as a whole.
  return isList(before) && isList(now) && isList(live) && keepsOld(before, now, live) ? now : undefined;
}

function ofMembers(before: Members, now: Members, live: Members): Members | undefined {
  const parts = Object.keys(before).flatMap((key): [string, unknown][] => {
    const part = changeOf(before[key], now[key], live[key]);
    return part === undefined ? [] : [[key, part]];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function keepsOld(before: readonly unknown[], now: readonly unknown[], live: readonly unknown[]): boolean {
  if (JSON.stringify(before) === JSON.stringify(now)) return false;
  if (live.length !== now.length) return live.length > now.length;
  return now.some((item, place) => changeOf(before[place], item, live[place]) !== undefined);
}
