import { expect, test } from 'vitest';
import { seenOnce } from '../../schedule/seen-once.ts';
import { caseResult } from '../support/concrete-case.ts';

const red = { ...caseResult('a.case', 'fail'), reason: 'step ask: no answer', fault: 'implementation' as const };

test('what is red on a quiet machine stands when the run ends before it is seen again', () => {
  expect(seenOnce(red)).toBe(red);
  expect(seenOnce({ ...red, stretch: 1.1 })).toMatchObject({ verdict: 'fail', fault: 'implementation' });
});

test('what is red on a busy machine accuses nobody then', () => {
  const { verdict, reason, fault } = seenOnce({ ...red, stretch: 3 });
  expect(verdict).toBe('unstable');
  expect(reason).toBe('fail (step ask: no answer) on a busy machine, and the run ended before it was seen again');
  expect(fault).toBeUndefined();
  expect(seenOnce({ ...red, overtimes: ['ask'] }).verdict).toBe('unstable');
});

test('what went well in overtime stays as it is', () => {
  const late = { ...caseResult('a.case', 'pass'), overtimes: ['ask'], stretch: 3 };
  expect(seenOnce(late)).toBe(late);
});
