import { names, type KnownFailure } from './known-failures.ts';
import { standsOn } from './stands-on.ts';
import { RED } from './settle.ts';
import type { Verdict } from './verdict.ts';

interface Judged {
  readonly case: { readonly id: string; readonly baseId: string; readonly requires?: readonly string[] | undefined };
  readonly verdict: Verdict;
}

/** What others stand on and stands on nothing, what others stand on, and the rest: each stands on those before it alone. */
export function layersByNeed<Result extends Judged>(
  results: readonly Result[],
  cases: readonly Judged['case'][],
): readonly (readonly Result[])[] {
  const required = [...new Set(cases.flatMap(({ requires = [] }) => requires))];
  const layerOf = ({ case: one }: Result): number => {
    if (!standsOn(required, one)) return 2;
    return (one.requires ?? []).length === 0 ? 0 : 1;
  };
  return [0, 1, 2].map((layer) => results.filter((result) => layerOf(result) === layer));
}

/** Of the cases that did not run those that are known to fail: whoever stands on one of them accuses nobody either. */
export function listedOthers<One extends Judged['case']>(
  known: readonly Pick<KnownFailure, 'case' | 'verdict'>[],
  cases: readonly One[],
  ran: readonly Judged[],
): readonly { readonly case: One; readonly verdict: Verdict }[] {
  const told = new Set(ran.map(({ case: one }) => one.id));
  const red = known.filter(({ verdict }) => verdict !== 'unstable');
  return cases
    .filter(({ id }) => !told.has(id) && red.some((entry) => names(entry, id)))
    .map((one) => ({ case: one, verdict: 'known' }));
}

/**
 * The first case that a red one stands on and that is red itself, known to fail, or blocked; undefined when there is none. A case that did
 * not run blocks nothing.
 */
export function blockedBy(result: Judged, settled: readonly Judged[]): string | undefined {
  const { requires = [] } = result.case;
  if (requires.length === 0 || !RED.has(result.verdict)) return undefined;
  return settled.find(({ case: one, verdict }) => standsOn(requires, one) && blocks(verdict))?.case.id;
}

function blocks(verdict: Verdict): boolean {
  return RED.has(verdict) || verdict === 'known' || verdict === 'blocked';
}
