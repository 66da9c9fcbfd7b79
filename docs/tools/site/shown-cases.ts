import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';

/** The cases that a page of a clause shows: one of each polarity. */
export interface ShownCases {
  readonly positive?: ConcreteCase;
  readonly negative?: ConcreteCase;
}

/** Chooses for each clause the cases that say it best: those about few clauses, with traffic, that are judged. */
export function chooseCases(cases: readonly ConcreteCase[]): ReadonlyMap<string, ShownCases> {
  const chosen = new Map<string, { positive?: ConcreteCase; negative?: ConcreteCase }>();
  for (const one of cases.toSorted((a, b) => rank(a) - rank(b)))
    for (const { id, as } of one.clauses) {
      const shown = chosen.get(id) ?? {};
      chosen.set(id, shown);
      shown[as] ??= one;
    }
  return chosen;
}

/** A guide is written to be read. Otherwise the fewer clauses a case is about, the clearer it is. */
function rank({ id, level, layer, clauses, steps }: ConcreteCase): number {
  const judged = level === 'must' ? 0 : 1000;
  const traffic = layer === 'wire' || layer === 'trace' ? 0 : 100;
  return (
    judged +
    traffic +
    new Set(clauses.map((clause) => clause.id)).size * 5 +
    steps.length -
    (id.includes('.guide.') ? 20 : 0)
  );
}
