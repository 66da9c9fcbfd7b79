import { expect, test } from 'vitest';
import { requiredCasesProblems } from '../../case/lint/required-cases.ts';
import { blockedBy, splitByNeed } from '../../verdict/blocked.ts';
import { caseResult, concreteCase } from '../support/concrete-case.ts';

const base = concreteCase('a.base[one]', { baseId: 'a.base' });
const other = concreteCase('a.other', { requires: ['a.base'] });
const of = (one: typeof base, verdict: Parameters<typeof caseResult>[1]) => ({
  ...caseResult(one.id, verdict),
  case: one,
});

test.each(['fail', 'inconclusive', 'error', 'known'] as const)(
  'a red case is blocked by one below it: %s',
  (verdict) => {
    expect(blockedBy(of(other, 'fail'), [of(base, 'pass'), of(base, verdict)])).toBe('a.base[one]');
  },
);

test.each(['pass', 'unsupported', 'unstable', 'skipped'] as const)('a case below it blocks nothing: %s', (verdict) => {
  expect(blockedBy(of(other, 'fail'), [of(base, verdict)])).toBeUndefined();
});

test('a case that passed has passed, and one that requires nothing is its own', () => {
  expect(blockedBy(of(other, 'pass'), [of(base, 'fail')])).toBeUndefined();
  expect(blockedBy(of(concreteCase('a.free'), 'fail'), [of(base, 'fail')])).toBeUndefined();
});

test('a case may stand on one row, so that another row blocks nothing', () => {
  const another = concreteCase('a.base[two]', { baseId: 'a.base' });
  const narrow = concreteCase('a.narrow', { requires: ['a.base[one]'] });
  expect(blockedBy(of(narrow, 'fail'), [of(another, 'fail')])).toBeUndefined();
  expect(blockedBy(of(narrow, 'fail'), [of(another, 'fail'), of(base, 'fail')])).toBe('a.base[one]');
  const split = splitByNeed([of(another, 'fail'), of(base, 'fail')], [base, another, narrow]);
  expect(split.foundations.map(({ case: one }) => one.id)).toEqual(['a.base[one]']);
});

const said = (requires: readonly string[]): readonly string[] =>
  requiredCasesProblems([
    base,
    other,
    concreteCase('a.soft', { level: 'should' }),
    concreteCase('a.new', { requires }),
  ]).map(({ message }) => message);

test('what others stand on is settled first', () => {
  const results = [of(other, 'fail'), of(base, 'fail')];
  const split = splitByNeed(results, [base, other]);
  expect(split.foundations.map(({ case: one }) => one.id)).toEqual(['a.base[one]']);
  expect(split.others.map(({ case: one }) => one.id)).toEqual(['a.other']);
});

test('lint refuses to stand on what is no case, gates nothing, or stands on something', () => {
  expect(said(['a.base'])).toEqual([]);
  expect(said(['a.base[one]'])).toEqual([]);
  expect(said(['a.base[two]'])).toEqual([expect.stringContaining('unknown case a.base[two]')]);
  expect(said(['a.bas'])).toEqual(['requires: unknown case a.bas, did you mean a.base?']);
  expect(said(['a.soft'])).toEqual([expect.stringContaining('gates nothing')]);
  expect(said(['a.other'])).toEqual([expect.stringContaining('stands on something itself')]);
});
