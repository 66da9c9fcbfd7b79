import type { Reporter, TimedResult } from './report/events.ts';
import type { CaseResult } from './schedule/case-result.ts';

/** The results of a run, in the order in which they come. */
export interface Results {
  readonly all: readonly TimedResult[];
  /** Takes a result and tells the reporters. */
  readonly add: (result: CaseResult) => void;
  /** Aborted by the first required case that did not go well, if the user wants that. */
  readonly bailed: AbortSignal;
}

/** An empty list of results that tells the reporters of each. */
export function openResults(reporters: readonly Reporter[], { bail }: { readonly bail: boolean }): Results {
  const all: TimedResult[] = [];
  const end = new AbortController();
  return {
    all,
    bailed: end.signal,
    add: (result) => {
      all.push({ ...result, sinceStartMs: Math.round(performance.now()) });
      for (const reporter of reporters) reporter.finished?.(result, all.length);
      if (bail && isBad(result)) end.abort();
    },
  };
}

function isBad({ case: one, verdict }: CaseResult): boolean {
  return one.level === 'must' && ['fail', 'error', 'inconclusive', 'stale'].includes(verdict);
}
