import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';

/** The cases that a page of a clause shows: one of each polarity. */
export interface ShownCases {
  readonly positive?: ConcreteCase;
  readonly negative?: ConcreteCase;
}

/**
 * Chooses for each clause the cases that say it best: those of the suite that is about its area, or else about it, about few clauses, with
 * traffic, that are judged.
 */
export function chooseCases(cases: readonly ConcreteCase[]): ReadonlyMap<string, ShownCases> {
  const citing = citationsBy(cases, (id) => id);
  const homes = new Map([...citationsBy(cases, areaOf)].map(([area, citations]) => [area, homeOf(citations)]));
  return new Map(
    [...citing].map(([id, citations]) => {
      const about = [homes.get(areaOf(id)), homeOf(citations)];
      const ranked = citations.toSorted((a, b) => rank(a.one, about) - rank(b.one, about));
      const first = (as: Citation['as']): ConcreteCase | undefined =>
        ranked.find((citation) => citation.as === as)?.one;
      const [positive, negative] = [first('positive'), first('negative')];
      return [id, { ...(positive && { positive }), ...(negative && { negative }) }];
    }),
  );
}

interface Citation {
  readonly as: 'positive' | 'negative';
  readonly one: ConcreteCase;
}

function citationsBy(
  cases: readonly ConcreteCase[],
  keyOf: (id: string) => string,
): ReadonlyMap<string, readonly Citation[]> {
  const citations = cases.flatMap((one) => one.clauses.map(({ id, as }) => ({ key: keyOf(id), as, one })));
  return Map.groupBy(citations, ({ key }) => key);
}

function areaOf(id: string): string {
  return id.slice(0, id.lastIndexOf('-'));
}

/** The suite that says most. A case about few clauses says more of each, and many rows of a case say no more than one. */
function homeOf(citations: readonly Citation[]): string | undefined {
  const said = new Map<string, number>();
  const distinct = new Map(citations.map(({ one }) => [one.baseId, one]));
  for (const one of distinct.values()) said.set(one.suite, (said.get(one.suite) ?? 0) + 1 / clausesOf(one));
  return [...said].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

/** A guide is written to be read. Otherwise the fewer clauses a case is about, the clearer it is. */
function rank(one: ConcreteCase, about: readonly (string | undefined)[]): number {
  const { id, level, layer, suite, steps } = one;
  const judged = level === 'must' ? 0 : 1000;
  const traffic = layer === 'wire' || layer === 'trace' ? 0 : 100;
  const place = about.indexOf(suite);
  const far = id.includes('.guide.') ? 0 : (place === -1 ? about.length : place) * 20;
  return judged + traffic + far + clausesOf(one) * 5 + steps.length;
}

function clausesOf({ clauses }: ConcreteCase): number {
  return new Set(clauses.map(({ id }) => id)).size;
}
