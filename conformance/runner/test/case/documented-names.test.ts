import { expect, test } from 'vitest';
import { namesOf } from '../../case/case-names.ts';
import type { ConcreteCase } from '../../case/concrete-case.ts';
import { vocabulary } from '../../values/expressions/vocabulary.ts';
import { wholeSuite } from '../support/whole-suite.ts';

/** These are about the request itself, an item of MCP or what a model said, of which no document names a member. */
const ABOUT_UNNAMED_MEMBERS = [
  // Ten thousand different keys, of which a few hundred are tried.
  'EXTAUTH-037 positive',
  // That `when` sees the current request.
  'MODEL-042 negative',
  'MODEL-042 positive',
  // That the cost of a stream can use llm attributes.
  'RATE-019 negative',
  'RATE-019 positive',
];

test('what clauses say is shown by cases that name in expressions nothing but what the documents name', async () => {
  const { cases, problems } = await wholeSuite();
  expect(problems).toEqual([]);
  const shown = new Map<string, boolean>();
  for (const one of cases.filter(({ level }) => level === 'must'))
    for (const { id, as } of one.clauses) {
      const clause = `${id} ${as}`;
      shown.set(clause, shown.get(clause) === true || !needsOtherNames(one));
    }
  const unshown = [...shown].flatMap(([clause, isShown]) => (isShown ? [] : [clause]));
  expect(unshown.toSorted()).toEqual(ABOUT_UNNAMED_MEMBERS);
});

function needsOtherNames(one: ConcreteCase): boolean {
  return namesOf(one).some((name) => vocabulary().find(name)?.origin !== undefined);
}
