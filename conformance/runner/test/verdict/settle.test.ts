import { describe, expect, test } from 'vitest';
import { isProvisional, settle, type Attempt } from '../../verdict/settle.ts';

const pass: Attempt = { verdict: 'pass', reason: '' };
const late: Attempt = { verdict: 'pass', reason: '', overtimes: ['call'] };
const fail: Attempt = { verdict: 'fail', reason: 'got 500' };
const lost: Attempt = { verdict: 'inconclusive', reason: 'control failed' };
const gone: Attempt = { verdict: 'error', reason: 'it crashed', fault: 'implementation' };
const hung: Attempt = { verdict: 'error', reason: 'it did not end', fault: 'harness' };
const starved: Attempt = { ...fail, stretch: 4.1 };
const slowed: Attempt = { ...fail, stretch: 4 };
const wrong: Attempt = { verdict: 'error', reason: 'no such peer', fault: 'case' };
const stale: Attempt = { verdict: 'stale', reason: 'listed' };

test.each<readonly [string, Attempt, boolean]>([
  ['a failure', fail, true],
  ['an inconclusive case', lost, true],
  ['a crash', gone, true],
  ['a case that did not end', hung, true],
  ['a known failure that passed', stale, true],
  ['a case that went well in overtime', late, true],
  ['a mistake in the case', wrong, false],
  ['a case that went well', pass, false],
  ['a known failure', { verdict: 'known', reason: 'bug 1' }, false],
  ['an undeclared feature', { verdict: 'unsupported', reason: '', overtimes: ['call'] }, false],
])('%s is provisional: %j', (_, attempt, expected) => {
  expect(isProvisional(attempt)).toBe(expected);
});

describe('attempts come to', () => {
  test.each<readonly [string, readonly Attempt[], object]>([
    ['a verdict that needs no second look', [pass], { kind: 'final', attempt: 0 }],
    ['nothing yet', [fail], { kind: 'again' }],
    ['nothing yet after the same once more', [fail, fail], { kind: 'again' }],
    ['what they all say', [fail, fail, fail], { kind: 'final', attempt: 0 }],
    ['what they all say of a crash', [gone, gone, gone], { kind: 'final', attempt: 0 }],
    [
      'what they say although a busy machine slowed them down',
      [starved, slowed, slowed],
      { kind: 'final', attempt: 0 },
    ],
    ['nothing yet when an attempt was starved', [fail, starved, fail], { kind: 'again' }],
    ['what two say that were not starved', [fail, starved, fail, fail], { kind: 'final', attempt: 0 }],
    ['nothing yet after four that were', [fail, starved, starved, starved, starved], { kind: 'again' }],
    ['what five say', [fail, starved, starved, starved, starved, starved], { kind: 'final', attempt: 0 }],
    ['unstable when the fifth is another', [fail, starved, starved, starved, starved, pass], { kind: 'unstable' }],
    ['unstable at the first other one', [fail, pass], { kind: 'unstable' }],
    ['unstable at the second other one', [fail, fail, pass], { kind: 'unstable' }],
    ['unstable when each is red in its own way', [fail, lost], { kind: 'unstable' }],
    ['unstable when each is broken by another', [gone, hung], { kind: 'unstable' }],
    ['what went well in overtime, when it goes well alone', [late, pass], { kind: 'final', attempt: 0 }],
    ['the same on a machine that is busy all the time', [late, late], { kind: 'final', attempt: 0 }],
    ['nothing yet when it does not', [late, fail], { kind: 'again' }],
    ['red, when only overtime made it green', [late, fail, fail], { kind: 'final', attempt: 1 }],
    ['unstable after overtime', [late, fail, pass], { kind: 'unstable' }],
    ['a mistake in the case', [wrong], { kind: 'final', attempt: 0 }],
  ])('%s', (_, attempts, expected) => {
    expect(settle(attempts)).toMatchObject(expected);
  });

  test('a starved red after overtime is asked again too', () => {
    expect(settle([late, starved, starved])).toEqual({ kind: 'again' });
    expect(settle([late, fail, fail])).toEqual({ kind: 'final', attempt: 1 });
  });

  test('a reason that names every attempt', () => {
    expect(settle([fail, fail, pass])).toEqual({
      kind: 'unstable',
      reason: 'fail (got 500), but alone fail (got 500), then pass',
    });
  });
});
