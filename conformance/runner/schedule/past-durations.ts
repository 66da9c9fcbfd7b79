import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from '../sut/manifest.ts';
import { openCache } from '../values/cache.ts';
import { isObject } from '../values/json.ts';
import { packageRoot } from '../values/package-root.ts';
import type { CaseResult } from './case-result.ts';

/** Ids of cases that were slow on this machine, with the milliseconds they took, less what the machine took away. */
export type PastDurations = ReadonlyMap<string, number>;

const SLOW_MS = 700;
/** More than these are no exceptions. */
const MOST = 200;
const cache = openCache('durations');

/**
 * What earlier runs of this implementation have left. A machine that knows nothing of it takes what the package says: evictions, units and
 * expiry take their time with any implementation, and a run that begins the longest case last waits for it alone.
 */
export function recallDurations(manifest: Known): PastDurations {
  return asDurations(cache.recall(...keyOf(manifest))?.value ?? shippedDurations());
}

/** Where the package says which cases are slow: written by `docs/tools/slow-cases.ts` from a report of the reference. */
export function slowCasesFile(): string {
  return path.join(packageRoot(), 'conformance', 'cases', 'slow-cases.json');
}

/** The slow ones among these results, the slowest first, with the milliseconds each took less what the machine took away. */
export function slowOnes(
  results: readonly { readonly id: string; readonly durationMs: number; readonly stretch?: number | undefined }[],
): PastDurations {
  const fair = results.map(({ id, durationMs, stretch = 1 }) => [id, Math.round(durationMs / stretch)] as const);
  const slowest = fair.filter(([, ms]) => ms >= SLOW_MS).toSorted(([, one], [, other]) => other - one);
  return new Map(slowest.slice(0, MOST));
}

/** What tells implementations apart. */
interface Known {
  readonly implementation: Pick<Manifest['implementation'], 'name'>;
  readonly file: string;
}

function shippedDurations(): unknown {
  try {
    return JSON.parse(readFileSync(slowCasesFile(), 'utf8'));
  } catch {
    // Only the order of cases depends on it.
    return undefined;
  }
}

function asDurations(known: unknown): PastDurations {
  const entries = isObject(known) ? Object.entries(known) : [];
  return new Map(entries.flatMap(([id, ms]) => (typeof ms === 'number' ? [[id, ms] as const] : [])));
}

/** Remembers the slow ones among these results and forgets those that are slow no more; what did not run stays as it was. */
export function keepDurations(manifest: Known, before: PastDurations, results: readonly CaseResult[]): void {
  const now = new Map(before);
  for (const { case: one, durationMs, stretch = 1 } of results) {
    if (durationMs / stretch < SLOW_MS) now.delete(one.id);
    else now.set(one.id, Math.round(durationMs / stretch));
  }
  if (now.size === 0 && before.size === 0) return;
  const slowest = [...now].toSorted(([, one], [, other]) => other - one).slice(0, MOST);
  cache.keep(Object.fromEntries(slowest), ...keyOf(manifest));
}

function keyOf({ implementation, file }: Known): readonly string[] {
  return [implementation.name, file];
}
