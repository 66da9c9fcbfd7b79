import { expect, test } from 'vitest';
import type { SeenResult } from '../../verdict/known-plan.ts';
import { rateLines } from '../../verdict/known-rates.ts';

const pass = { verdict: 'pass' } as const;
const fail = { verdict: 'fail', reason: 'got 500' } as const;

function lines(...rounds: readonly Omit<SeenResult, 'id'>[]): readonly string[] {
  const others: SeenResult = { id: 'a.other', verdict: 'error' };
  return rateLines([...rounds.map((round) => ({ ...round, id: 'a.b' })), others], new Map([['a.b', 'known.yaml:2:3']]));
}

test('the rate of a case says how often it passed and what it said otherwise', () => {
  expect(lines(pass, fail, pass, { ...fail, reason: 'got 503' }, fail)).toEqual([
    'a.b  2 of 5 passed, 3 fail  known.yaml:2:3',
    '    2 times fail: got 500',
    '    once fail: got 503',
  ]);
});

test.each([
  [pass, 'it passed every time; if that stays so, remove the entry'],
  [fail, 'it never passed; verdict: fail would say so, and would notice when it passes'],
  [
    { verdict: 'error', reason: 'x' } as const,
    'it never passed; verdict: error would say so, and would notice when it passes',
  ],
  [
    { verdict: 'unsupported', reason: 'needs core.x' } as const,
    'the manifest does not declare what it needs, so nothing was measured',
  ],
])('a case that is always %j is told what its entry could say', (round, advice) => {
  expect(lines(round, round).at(-1)).toBe(`    ${advice}`);
  expect(lines(round).join('\n')).not.toContain(advice);
});
