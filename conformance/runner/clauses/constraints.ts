import type { CitingCase } from './coverage.ts';
import type { Constraint } from './register.ts';

/** How many rules the constraints have; their numbers are for ever, like the ids of clauses. */
const CONSTRAINTS = 123;

/**
 * What is wrong with the table of constraints: a number that is missing, given twice or not among them, a case that does
 * not exist. Empty when nothing is. Reasons are held against their list when the table is read.
 */
export function brokenConstraints(
  constraints: readonly Constraint[],
  cases: readonly Pick<CitingCase, 'baseId'>[],
): readonly string[] {
  const known = new Set(cases.map(({ baseId }) => baseId));
  const given = constraints.map(({ id }) => id);
  const expected = Array.from({ length: CONSTRAINTS }, (_, index) => `X-${String(index + 1).padStart(3, '0')}`);
  return [
    ...expected.filter((id) => !given.includes(id)).map((id) => `${id} is missing`),
    ...given.filter((id) => !expected.includes(id)).map((id) => `${id} is no constraint`),
    ...given.filter((id, index) => given.indexOf(id) !== index).map((id) => `${id} is there twice`),
    ...constraints.flatMap(({ id, cases: shown = [] }) =>
      shown.filter((one) => !known.has(one)).map((one) => `${id} names unknown case ${one}`),
    ),
  ].map((problem) => `docs/spec/constraints.yaml: ${problem}`);
}
