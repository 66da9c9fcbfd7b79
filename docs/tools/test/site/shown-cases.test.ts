import { expect, test } from 'vitest';
import { loadRunnable } from '../../../../conformance/runner/load-suite.ts';
import { chooseCases } from '../../site/shown-cases.ts';

const { cases } = await loadRunnable({});
const shown = chooseCases(cases);

test('a clause is shown by the suite that is about it, not by one that meets it on its way', () => {
  // A case of realtime connections, and one of vendor7, cite fewer clauses than those of the policies themselves.
  expect(shown.get('AUTHZ-004')?.positive?.suite).toBe('traffic.authorization');
  expect(shown.get('RETRY-003')?.positive?.suite).toBe('traffic.retry');
});

test('a clause that is cited with a polarity is shown with a case of it, and judged where any is', () => {
  for (const as of ['positive', 'negative'] as const) {
    const cited = citedIn(cases, as);
    const judged = citedIn(
      cases.filter(({ level }) => level === 'must'),
      as,
    );
    const wrong = [...cited].filter((id) => {
      const chosen = shown.get(id)?.[as];
      const isCited = chosen?.clauses.some((one) => one.id === id && one.as === as) === true;
      return !isCited || (chosen?.level === 'must') !== judged.has(id);
    });
    expect(cited.size).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  }
});

function citedIn(some: typeof cases, as: 'positive' | 'negative'): ReadonlySet<string> {
  return new Set(some.flatMap(({ clauses }) => clauses.filter((one) => one.as === as).map(({ id }) => id)));
}
