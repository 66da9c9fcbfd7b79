import { RED } from '../verdict/settle.ts';
import { VERDICTS, type Verdict } from '../verdict/verdict.ts';
import type { Summary } from './events.ts';

/** Counts the results by verdict; every verdict is present. */
export function summarize(results: readonly { readonly verdict: Verdict }[]): Summary {
  const counts: Record<Verdict, number> = {
    pass: 0,
    fail: 0,
    inconclusive: 0,
    unsupported: 0,
    known: 0,
    stale: 0,
    error: 0,
    skipped: 0,
    observe: 0,
    unstable: 0,
    blocked: 0,
  };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

/** `12 pass, 1 fail`: the verdicts that occur. */
export function summaryLine(summary: Summary): string {
  const parts = VERDICTS.filter((verdict) => summary[verdict] > 0).map((verdict) => `${summary[verdict]} ${verdict}`);
  return parts.length === 0 ? 'no cases' : parts.join(', ');
}

/** Verdicts that make a result worth printing when it comes. */
export const ALARMING: ReadonlySet<Verdict> = new Set([...RED, 'unstable']);
