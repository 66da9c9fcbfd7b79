import { type Equivalent, LISTS, type List, reasonFor } from './equivalents.ts';
import type { MutantOutcome } from './judge.ts';

/** How many mutants of an area were killed. */
export interface Score {
  /** What was judged. */
  readonly mutants: number;
  readonly killed: number;
  readonly survived: number;
  readonly uncovered: number;
  /** No reference with it started, whatever list it stands in. */
  readonly unstarted: number;
  /** Listed, and not killed. */
  readonly equivalent: number;
  readonly open: number;
}

export type Lists = Readonly<Record<List, readonly Equivalent[]>>;

/** Which list a mutant stands in. */
export function listOf({ mutant }: Pick<MutantOutcome, 'mutant'>, lists: Lists): List | undefined {
  return LISTS.find((list) => reasonFor(mutant, lists[list]) !== undefined);
}

/** Counts what became of mutants; what is listed and killed all the same counts as killed. */
export function scoreOf(outcomes: readonly MutantOutcome[], lists: Lists): Score {
  const verdicts = Map.groupBy(outcomes, ({ verdict }) => verdict);
  const left = outcomes.filter(({ verdict }) => verdict === 'survived' || verdict === 'uncovered');
  const unlisted = left.filter((one) => listOf(one, lists) === undefined);
  const inList = (list: List): number => left.filter((one) => listOf(one, lists) === list).length;
  return {
    mutants: outcomes.length,
    killed: verdicts.get('killed')?.length ?? 0,
    survived: unlisted.filter(({ verdict }) => verdict === 'survived').length,
    uncovered: unlisted.filter(({ verdict }) => verdict === 'uncovered').length,
    unstarted: verdicts.get('unstarted')?.length ?? 0,
    equivalent: inList('equivalent'),
    open: inList('open'),
  };
}

/**
 * Of those that are no equivalents and with which a reference starts: the share that was killed, and the share when what no document states is left
 * out, too. In percent.
 */
export function shares(score: Score): { readonly all: number; readonly stated: number } {
  const asked = judgedOf(score);
  return { all: percent(score.killed, asked), stated: percent(score.killed, asked - score.open) };
}

/** How many mutants the first share is about. */
export function judgedOf({ mutants, equivalent, unstarted }: Score): number {
  return mutants - equivalent - unstarted;
}

function percent(part: number, whole: number): number {
  return Math.round((1000 * part) / Math.max(1, whole)) / 10;
}
