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
    const citing = cases.filter(({ clauses }) => clauses.some((cited) => cited.as === as));
    const ids = new Set(
      citing.flatMap(({ clauses }) => clauses.filter((cited) => cited.as === as).map(({ id }) => id)),
    );
    for (const id of ids) {
      const chosen = shown.get(id)?.[as];
      expect(chosen?.clauses).toContainEqual(expect.objectContaining({ id, as }));
      const isJudged = citing.some(
        ({ level, clauses }) => level === 'must' && clauses.some((cited) => cited.id === id && cited.as === as),
      );
      expect(chosen?.level === 'must').toBe(isJudged);
    }
  }
});
