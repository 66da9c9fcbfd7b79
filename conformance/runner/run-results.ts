import type { Reporter, TimedResult } from './report/events.ts';
import type { CaseResult } from './schedule/case-result.ts';
import { isProvisional, RED } from './verdict/settle.ts';

/** The results of a run, in the order in which they come. */
export interface Results {
  /** Those that are final. */
  readonly all: readonly TimedResult[];
  /** Those that have to be seen again before they count. */
  readonly doubtful: readonly CaseResult[];
  /** Takes a result of the run as it comes: it is final, or has to be seen again. */
  readonly take: (result: CaseResult) => void;
  /** Takes a final result and tells the reporters. */
  readonly add: (result: CaseResult) => void;
  /** Aborted by the first required case that did not go well, if the user wants that. */
  readonly bailed: AbortSignal;
}

/** An empty list of results that tells the reporters of each final one. */
export function openResults(
  reporters: readonly Reporter[],
  { bail, provisional }: { readonly bail: boolean; readonly provisional: boolean },
): Results {
  const all: TimedResult[] = [];
  const doubtful: CaseResult[] = [];
  const end = new AbortController();
  const add = (result: CaseResult): void => {
    all.push({ ...result, sinceStartMs: Math.round(performance.now()) });
    for (const reporter of reporters) reporter.finished?.(result, all.length);
  };
  return {
    all,
    doubtful,
    add,
    bailed: end.signal,
    take: (result) => {
      if (bail && isBad(result)) end.abort();
      if (!provisional && isProvisional(result)) doubtful.push(result);
      else add(result);
    },
  };
}

function isBad({ case: one, verdict }: CaseResult): boolean {
  return one.level === 'must' && RED.has(verdict);
}
