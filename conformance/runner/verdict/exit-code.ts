import type { Fault, Level, Verdict } from './verdict.ts';

/** What the exit code of a run is decided from. */
export interface Outcome {
  /** Cases that were to run, and what became of those that did. */
  readonly planned: number;
  readonly results: readonly { readonly verdict: Verdict; readonly level: Level; readonly fault?: Fault }[];
  /** Entries of the known-failures file that are wrong. */
  readonly knownProblems: number;
  /** Why the run as a whole could not be done. */
  readonly stopped?: 'usage' | 'implementation' | 'harness' | 'interrupted';
  /** The user does not mind required cases that come out now this way, now that way. */
  readonly allowUnstable?: boolean;
  /** Nothing was to run because other shards have everything. */
  readonly emptyShard?: boolean;
}

export const EXIT = { passed: 0, failed: 1, usage: 2, broken: 3, unstable: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const FAILING: ReadonlySet<Verdict> = new Set(['fail', 'inconclusive', 'stale']);

/**
 * 0 when every required case passed, 1 for a conformance failure, 2 for a usage or case error, 3 when the implementation
 * or the harness could not run, 4 when nothing failed and required cases are unstable. Unfinished work is never 0.
 */
export function exitCode({ planned, results, knownProblems, stopped, allowUnstable, emptyShard }: Outcome): ExitCode {
  if (stopped !== undefined) return stopped === 'usage' ? EXIT.usage : EXIT.broken;
  if (planned === 0) return emptyShard === true ? EXIT.passed : EXIT.usage;
  const faults = faultsOf(results);
  if (faults.includes('case')) return EXIT.usage;
  if (faults.includes('harness') || results.length < planned) return EXIT.broken;
  // A crash in one case among others is the implementation's failure, not a run that could not take place.
  const crashed = faults.includes('implementation');
  if (crashed && faults.length === planned) return EXIT.broken;
  if (crashed || knownProblems > 0 || !isConforming(results)) return EXIT.failed;
  const unstable = results.some(({ verdict, level }) => verdict === 'unstable' && level === 'must');
  return unstable && allowUnstable !== true ? EXIT.unstable : EXIT.passed;
}

function isConforming(results: Outcome['results']): boolean {
  return !results.some(({ verdict, level }) => FAILING.has(verdict) && level === 'must') && someRequired(results);
}

function faultsOf(results: Outcome['results']): readonly Fault[] {
  return results.flatMap(({ verdict, fault }) => (verdict === 'error' ? [fault ?? 'harness'] : []));
}

// An unstable one has an exit code of its own.
const SHOWING: ReadonlySet<Verdict> = new Set(['pass', 'known', 'unstable']);

// A run in which nothing required passed has shown nothing; a run of observations only is fine.
function someRequired(results: Outcome['results']): boolean {
  const required = results.filter(
    ({ level, verdict }) => level === 'must' && verdict !== 'skipped' && verdict !== 'observe',
  );
  return required.length === 0 || required.some(({ verdict }) => SHOWING.has(verdict));
}
