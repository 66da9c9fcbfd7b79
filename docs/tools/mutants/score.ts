import { type Equivalent, LISTS, type List, reasonFor } from './equivalents.ts';
import type { MutantOutcome } from './judge.ts';

/** How many mutants of an area were killed. */
export interface Score {
  /** What was judged. */
  readonly mutants: number;
  readonly killed: number;
  readonly survived: number;
  readonly uncovered: number;
  /** Listed, and not killed. */
  readonly equivalent: number;
  readonly open: number;
}

export type Lists = Readonly<Record<List, readonly Equivalent[]>>;

/** Which list a mutant stands in. */
export function listOf({ mutant }: MutantOutcome, lists: Lists): List | undefined {
  return LISTS.find((list) => reasonFor(mutant, lists[list]) !== undefined);
}

/** Counts what became of mutants; what is listed and killed all the same counts as killed. */
export function scoreOf(outcomes: readonly MutantOutcome[], lists: Lists): Score {
  const left = outcomes.filter(({ verdict }) => verdict !== 'killed');
  const unlisted = left.filter((one) => listOf(one, lists) === undefined);
  const inList = (list: List): number => left.filter((one) => listOf(one, lists) === list).length;
  return {
    mutants: outcomes.length,
    killed: outcomes.length - left.length,
    survived: unlisted.filter(({ verdict }) => verdict === 'survived').length,
    uncovered: unlisted.filter(({ verdict }) => verdict === 'uncovered').length,
    equivalent: inList('equivalent'),
    open: inList('open'),
  };
}

/** Of those that are no equivalents: the share that was killed, and the share when what no document states is left out, too. In percent. */
export function shares({ mutants, killed, equivalent, open }: Score): {
  readonly all: number;
  readonly stated: number;
} {
  return { all: percent(killed, mutants - equivalent), stated: percent(killed, mutants - equivalent - open) };
}

function percent(part: number, whole: number): number {
  return Math.round((1000 * part) / Math.max(1, whole)) / 10;
}
