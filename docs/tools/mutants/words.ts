import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import type { Mutant } from './mutant.ts';

/** Which cases have the words of a mutant. */
export interface WordIndex {
  /** Per case the more, the more words of the mutant it has and the fewer others have them; a case without any is left out. */
  readonly weights: (mutant: Mutant) => ReadonlyMap<ConcreteCase, number>;
}

/** Reads every case once. */
export function wordIndex(cases: readonly ConcreteCase[]): WordIndex {
  const having = new Map<string, ConcreteCase[]>();
  for (const one of cases)
    for (const word of wordsOf(JSON.stringify(one))) {
      const others = having.get(word);
      if (others === undefined) having.set(word, [one]);
      else others.push(one);
    }
  return {
    weights: ({ original, replacement, within }) => {
      const weights = new Map<ConcreteCase, number>();
      for (const word of wordsOf(`${original} ${replacement} ${within}`)) {
        const of = having.get(word) ?? [];
        // What half of them have says nothing.
        const weight = Math.log2(cases.length / Math.max(1, of.length)) - 1;
        if (weight > 0) for (const one of of) weights.set(one, (weights.get(one) ?? 0) + weight);
      }
      return weights;
    },
  };
}

/** Names and texts, whole and, where they are written `inThisWay`, their parts too. */
function wordsOf(text: string): ReadonlySet<string> {
  const whole = text.match(/[A-Za-z_][\w-]{2,}/g) ?? [];
  const parts = whole.flatMap((word) => word.split(/(?=[A-Z])|[-_]/)).filter((part) => part.length > 2);
  return new Set([...whole, ...parts].map((word) => word.toLowerCase()));
}
