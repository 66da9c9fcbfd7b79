import type { Manifest } from '../sut/manifest.ts';
import { openCache } from '../values/cache.ts';
import { isObject } from '../values/json.ts';
import type { CaseResult } from './case-result.ts';

/** Ids of cases that were slow on this machine, with the milliseconds they took, less what the machine took away. */
export type PastDurations = ReadonlyMap<string, number>;

const SLOW_MS = 700;
/** More than these are no exceptions. */
const MOST = 200;
const cache = openCache('durations');

/** What earlier runs of this implementation have left; empty on a machine that knows nothing of it. */
export function recallDurations(manifest: Manifest): PastDurations {
  const known = cache.recall(...keyOf(manifest))?.value;
  const entries = isObject(known) ? Object.entries(known) : [];
  return new Map(entries.flatMap(([id, ms]) => (typeof ms === 'number' ? [[id, ms] as const] : [])));
}

/** Remembers the slow ones among these results and forgets those that are slow no more; what did not run stays as it was. */
export function keepDurations(manifest: Manifest, before: PastDurations, results: readonly CaseResult[]): void {
  const now = new Map(before);
  for (const { case: one, durationMs, stretch = 1 } of results) {
    if (durationMs / stretch < SLOW_MS) now.delete(one.id);
    else now.set(one.id, Math.round(durationMs / stretch));
  }
  if (now.size === 0 && before.size === 0) return;
  const slowest = [...now].toSorted(([, one], [, other]) => other - one).slice(0, MOST);
  cache.keep(Object.fromEntries(slowest), ...keyOf(manifest));
}

function keyOf({ implementation, file }: Manifest): readonly string[] {
  return [implementation.name, file];
}
