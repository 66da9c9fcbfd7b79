import { expect, test } from 'vitest';
import { requiredCasesProblems } from '../../case/lint/required-cases.ts';
import { blockedBy, layersByNeed, listedOthers } from '../../verdict/blocked.ts';
import { caseResult, concreteCase } from '../support/concrete-case.ts';

const base = concreteCase('a.base[one]', { baseId: 'a.base' });
const other = concreteCase('a.other', { requires: ['a.base'] });
const of = (one: typeof base, verdict: Parameters<typeof caseResult>[1]) => ({
  ...caseResult(one.id, verdict),
  case: one,
});

test.each(['fail', 'inconclusive', 'error', 'known', 'blocked'] as const)(
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
  const layers = layersByNeed([of(another, 'fail'), of(base, 'fail')], [base, another, narrow]);
  expect(layers.map(idsOf)).toEqual([['a.base[one]'], [], ['a.base[two]']]);
});

test('a case that was not chosen blocks where it is known to fail, and one that ran speaks for itself', () => {
  const another = concreteCase('a.base[two]', { baseId: 'a.base' });
  const cases = [base, another, other];
  const listed = listedOthers([{ case: 'a.base[*', verdict: 'fail' }], cases, [of(another, 'pass')]);
  expect(listed.map(({ case: { id } }) => id)).toEqual(['a.base[one]']);
  expect(
    blockedBy(
      of(other, 'fail'),
      listed.map(({ case: one, verdict }) => of(one, verdict)),
    ),
  ).toBe('a.base[one]');
  expect(listedOthers([{ case: 'a.base[one]', verdict: 'unstable' }], cases, [])).toEqual([]);
});

const said = (requires: readonly string[]): readonly string[] =>
  requiredCasesProblems([
    base,
    other,
    concreteCase('a.high', { requires: ['a.other'] }),
    concreteCase('a.soft', { level: 'should' }),
    concreteCase('a.new', { requires }),
  ]).map(({ message }) => message);

test('what others stand on is settled first, and before that what those stand on', () => {
  const high = concreteCase('a.high', { requires: ['a.other'] });
  const results = [of(high, 'fail'), of(other, 'fail'), of(base, 'fail')];
  expect(layersByNeed(results, [base, other, high]).map(idsOf)).toEqual([['a.base[one]'], ['a.other'], ['a.high']]);
});

function idsOf(results: readonly ReturnType<typeof of>[]): readonly string[] {
  return results.map(({ case: one }) => one.id);
}

test('lint refuses to stand on what is no case, gates nothing, or stands on what stands on something', () => {
  expect(said(['a.base'])).toEqual([]);
  expect(said(['a.base[one]'])).toEqual([]);
  expect(said(['a.base[two]'])).toEqual([expect.stringContaining('unknown case a.base[two]')]);
  expect(said(['a.bas'])).toEqual(['requires: unknown case a.bas, did you mean a.base?']);
  expect(said(['a.soft'])).toEqual([expect.stringContaining('gates nothing')]);
  expect(said(['a.other'])).toEqual([]);
  expect(said(['a.high'])).toEqual(['requires: a.high stands on a.other, which stands on something itself']);
});
