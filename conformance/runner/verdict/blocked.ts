import { standsOn } from './stands-on.ts';
import { RED } from './settle.ts';
import type { Verdict } from './verdict.ts';

interface Judged {
  readonly case: { readonly id: string; readonly baseId: string; readonly requires?: readonly string[] | undefined };
  readonly verdict: Verdict;
}

/** Those that others stand on, and the rest. */
export function splitByNeed<Result extends Judged>(
  results: readonly Result[],
  cases: readonly Judged['case'][],
): { readonly foundations: readonly Result[]; readonly others: readonly Result[] } {
  const required = [...new Set(cases.flatMap(({ requires = [] }) => requires))];
  return {
    foundations: results.filter((result) => standsOn(required, result.case)),
    others: results.filter((result) => !standsOn(required, result.case)),
  };
}

/**
 * The first case that a red one stands on and that is red itself, or known to fail; undefined when there is none. A case that did not run
 * blocks nothing.
 */
export function blockedBy(result: Judged, settled: readonly Judged[]): string | undefined {
  const { requires = [] } = result.case;
  if (requires.length === 0 || !RED.has(result.verdict)) return undefined;
  return settled.find(({ case: one, verdict }) => standsOn(requires, one) && (RED.has(verdict) || verdict === 'known'))
    ?.case.id;
}
