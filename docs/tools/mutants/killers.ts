import path from 'node:path';
import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import type { CaseHits, Followed } from './followed.ts';
import type { Hints } from './hints.ts';
import type { Mutant } from './mutant.ts';
import type { Covered } from './mutated-reference.ts';
import { nounsOf, spread } from './spread.ts';
import { wordIndex } from './words.ts';

/** Finds the cases that may kill a mutant, those that probably do first. */
export interface Killers {
  readonly of: (mutant: Mutant) => readonly ConcreteCase[];
  readonly learn: (mutant: Mutant, id: string) => void;
}

/** What is known about cases before the first mutant. */
export interface KillersKnowledge {
  readonly followed: Followed;
  /** What is passed while the reference loads. */
  readonly atStart: Covered;
  readonly hints: Hints;
  /** Cases that take long go last. */
  readonly isSlow: (one: ConcreteCase) => boolean;
}

/** A case that is green without a mutant, and what it came by. */
interface Known {
  readonly one: ConcreteCase;
  readonly hits: CaseHits;
}

/** How much speaks for a case to kill a mutant, for one reason; undefined where nothing does. */
type Reason = (mutant: Mutant) => (known: Known) => number | undefined;

/** So many cases, and fewer, load a reference of their own. */
const FEW = 30;

/**
 * Candidates come by the mutant; where it is passed while the reference loads, they come by something else of its file, or, where all of the file is (a
 * table), of its folder: nearly every case finds a reference that has loaded long ago. Each reason orders them in its own way, and the reasons take
 * turns: what everything passes would otherwise be judged by cases of one sort.
 */
export function killersAmong(
  cases: readonly ConcreteCase[],
  { followed, atStart, hints, isSlow }: KillersKnowledge,
): Killers {
  const known = spread(cases, nounsOf).flatMap((one): readonly Known[] => {
    const hits = followed.of(one);
    return hits?.green === true ? [{ one, hits }] : [];
  });
  const killed = new Map<string, { readonly line: number; readonly id: string }[]>();
  const words = wordIndex(known.map(({ one }) => one));
  const places = new Map<string, ReadonlyMap<ConcreteCase, number>>();
  /** What few cases come by in the folder of a mutant, and what they all come by, each once before any comes again. */
  const placesIn = (folder: string): ReadonlyMap<ConcreteCase, number> => {
    const found = places.get(folder);
    if (found !== undefined) return found;
    const hitsOf = new Map(known.map(({ one, hits }) => [one, hits]));
    const order = spread([...hitsOf.keys()], (one) => hitsOf.get(one)?.passedIn(folder) ?? []);
    const ranks = new Map(order.map((one, rank) => [one, rank]));
    places.set(folder, ranks);
    return ranks;
  };
  const isEarly = ({ id }: Mutant): boolean => atStart.has(id);
  const passingOf = (mutant: Mutant): readonly Known[] => {
    if (!isEarly(mutant)) return known.filter(({ hits }) => hits.at(mutant) > 0);
    const ofFile = known.filter(({ hits }) => hits.inFile(mutant.file) > 0);
    // The few that load the reference themselves come by every table.
    return ofFile.length < FEW ? known.filter(({ hits }) => hits.inFolder(path.dirname(mutant.file)) > 0) : ofFile;
  };

  const reasons: readonly Reason[] = [
    // It has killed a mutant near this one.
    ({ file, line }) => {
      const near = new Map<string, number>();
      for (const each of killed.get(file) ?? [])
        near.set(each.id, Math.min(near.get(each.id) ?? Infinity, Math.abs(each.line - line)));
      return ({ one }) => nearness(near.get(one.id));
    },
    // It kills a defect of the gallery near this one.
    (mutant) => {
      const distances = hints.noticing(mutant);
      return ({ one }) => nearness(distances.get(one.id));
    },
    // It cites a clause that the code names there.
    (mutant) => {
      const clauses = hints.clauses(mutant);
      return ({ one }) => (one.clauses.some(({ id }) => clauses.has(id)) ? 1 : undefined);
    },
    // It has words that stand there, the rarer the better.
    (mutant) => {
      const weights = words.weights(mutant);
      return ({ one }) => weights.get(one);
    },
    // It does little else.
    (mutant) =>
      ({ hits }) =>
        shareOf(mutant, hits, isEarly(mutant)),
  ];

  return {
    of: (mutant) => {
      const passing = passingOf(mutant);
      const rank = placesIn(path.dirname(mutant.file));
      const everything = passing.map(({ one }) => one);
      // The last lists are for what nobody thought of: they have something of everything.
      const all = inTurns([
        ...reasons.map((reason) => ordered(passing, reason(mutant))),
        everything.toSorted((one, other) => (rank.get(one) ?? 0) - (rank.get(other) ?? 0)),
        everything,
      ]);
      return [...all.filter((one) => !isSlow(one)), ...all.filter(isSlow)];
    },
    learn: (mutant, id) =>
      void killed.set(mutant.file, [...(killed.get(mutant.file) ?? []), { line: mutant.line, id }]),
  };
}

function nearness(distance: number | undefined): number | undefined {
  return distance === undefined ? undefined : 1 / (1 + distance);
}

/** A case that does little else is about this. Of what is read while the reference loads, what is passed later on the same lines says as much. */
function shareOf(mutant: Mutant, hits: CaseHits, early: boolean): number {
  const total = Math.max(1, hits.total);
  if (!early) return hits.at(mutant) / total;
  const near = hits.near(mutant);
  return near > 0 ? 1 + near / total : hits.inFile(mutant.file) / total;
}

/** The most first. Cases of one file are alike, so that each counts less the more of its file are before it; what is as good stays in its order. */
function ordered(known: readonly Known[], weightOf: (known: Known) => number | undefined): readonly ConcreteCase[] {
  const weighed = known
    .flatMap(({ one, ...each }) => {
      const weight = weightOf({ one, ...each });
      return weight === undefined ? [] : [{ one, weight }];
    })
    .toSorted((one, other) => other.weight - one.weight);
  const turns = [...Map.groupBy(weighed, ({ one }) => one.file).values()].flatMap((ofFile) =>
    ofFile.map(({ one, weight }, before) => ({ one, weight: weight / (1 + before) })),
  );
  return turns.toSorted((one, other) => other.weight - one.weight).map(({ one }) => one);
}

/** The first of each list, then the second of each, and so on, each case once. */
function inTurns(lists: readonly (readonly ConcreteCase[])[]): readonly ConcreteCase[] {
  const turns = lists.flatMap((list) => list.map((one, turn) => ({ one, turn })));
  return [...new Set(turns.toSorted((one, other) => one.turn - other.turn).map(({ one }) => one))];
}
