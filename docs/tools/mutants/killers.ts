import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import type { CaseHits, Followed } from './followed.ts';
import type { Mutant } from './mutant.ts';
import type { Covered } from './mutated-reference.ts';

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
  /** Cases that kill a defect of the gallery, by the file that the defect changes. */
  readonly notices: ReadonlyMap<string, ReadonlySet<string>>;
  /** Cases that take long go last. */
  readonly isSlow: (one: ConcreteCase) => boolean;
}

/** Candidates come by the mutant; where it is passed while the reference loads, they come by something else of its file. */
export function killersAmong(
  cases: readonly ConcreteCase[],
  { followed, atStart, notices, isSlow }: KillersKnowledge,
): Killers {
  const known = cases.flatMap((one) => {
    const hits = followed.of(one);
    return hits?.green === true ? [{ one, hits, text: JSON.stringify(one) }] : [];
  });
  const killed = new Map<string, { readonly line: number; readonly id: string }[]>();
  return {
    of: (mutant) => {
      const early = atStart.has(mutant.id);
      const words = wordsOf(mutant);
      const passing = known.filter(({ hits }) => (early ? hits.inFile(mutant.file) > 0 : hits.at(mutant) > 0));
      const near = new Map<string, number>();
      for (const { line, id } of killed.get(mutant.file) ?? [])
        near.set(id, Math.min(near.get(id) ?? Infinity, Math.abs(line - mutant.line)));
      const noticing = notices.get(mutant.file) ?? new Set();
      const graded = passing.map(({ one, hits, text }) => ({
        one,
        slow: isSlow(one),
        near: near.get(one.id) ?? Infinity,
        grade:
          shareOf(mutant, hits, early) +
          (noticing.has(one.id) ? 1 : 0) +
          (words.some((word) => text.includes(word)) ? 2 : 0) +
          (asksAdmission(mutant, text) ? 4 : 0),
      }));
      const nearest = graded
        .filter((each) => each.near < Infinity)
        .toSorted((one, other) => one.near - other.near)
        .slice(0, NEAREST);
      const taken = new Set(nearest);
      const rest = inTurn(graded.filter((each) => !taken.has(each)).toSorted((one, other) => other.grade - one.grade));
      const all = [...nearest, ...rest];
      return [...all.filter(({ slow }) => !slow), ...all.filter(({ slow }) => slow)].map(({ one }) => one);
    },
    learn: (mutant, id) =>
      void killed.set(mutant.file, [...(killed.get(mutant.file) ?? []), { line: mutant.line, id }]),
  };
}

const NEAREST = 8;

/** What asks whether something is accepted says most about what decides that. */
function asksAdmission({ file }: Mutant, text: string): boolean {
  return file.includes('/admission/') && text.includes('rejected');
}

/** A case that does little else is about this. Of what is read while the reference loads, what is passed later on the same lines says as much. */
function shareOf(mutant: Mutant, hits: CaseHits, early: boolean): number {
  const total = Math.max(1, hits.total);
  if (!early) return hits.at(mutant) / total;
  const near = hits.near(mutant);
  return near > 0 ? 1 + near / total : hits.inFile(mutant.file) / total;
}

/** The texts that are replaced: a case that holds one is probably about it. */
function wordsOf({ mutator, original }: Mutant): readonly string[] {
  if (mutator !== 'StringLiteral' && mutator !== 'ObjectLiteral' && mutator !== 'ArrayDeclaration') return [];
  return [...original.matchAll(/'([\w./-]{3,})'/g)].map(([, word = '']) => word);
}

/** Cases of one file are alike: the best of each file, then the second of each, and so on. */
function inTurn<Graded extends { readonly one: ConcreteCase; readonly grade: number }>(
  sorted: readonly Graded[],
): readonly Graded[] {
  const turns = [...Map.groupBy(sorted, ({ one, grade }) => `${Math.floor(grade)} ${one.file}`).values()].flatMap(
    (ofFile) => ofFile.map((each, turn) => ({ each, turn })),
  );
  return turns
    .toSorted(
      (one, other) =>
        Math.floor(other.each.grade) - Math.floor(one.each.grade) ||
        one.turn - other.turn ||
        other.each.grade - one.each.grade,
    )
    .map(({ each }) => each);
}
