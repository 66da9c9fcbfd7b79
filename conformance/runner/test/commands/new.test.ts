import * as expressions from '../../case/case-names.ts';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lintCases, lintKills } from '../../case/lint.ts';
import { parseCases } from '../../case/load.ts';
import { levelOf, loadRegister } from '../../clauses/register.ts';
import { skeleton } from '../../commands/new.ts';
import { packageRoot } from '../../values/package-root.ts';

test('a skeleton of any level is a case without problems until the gallery asks for real defects', async () => {
  const register = await loadRegister(path.join(packageRoot(), 'docs/spec'));
  const levels = ['MUST', 'DEFAULT', 'MAY', 'UNSPECIFIED'] as const;
  const clauses = levels.flatMap((level) =>
    [...register.clauses.values()].filter((clause) => clause.level === level).slice(0, 2),
  );
  expect(clauses).toHaveLength(8);
  for (const clause of clauses) {
    const text = skeleton(clause, 'some.suite', register);
    const { cases, problems } = parseCases('new.yaml', text, { levelOf: (cited) => levelOf(register.clauses, cited) });
    expect(problems).toEqual([]);
    expect(lintCases(cases, { register, expressions })).toEqual([]);
    const gated = lintKills(cases, new Set(['merge-deep'])).map(({ message }) => message);
    expect(gated).toEqual(cases[0]?.level === 'must' ? ['unknown defect todo-defect; known are merge-deep'] : []);
  }
});
