import { describe, expect, test } from 'vitest';
import type { Check } from '../../values/check.ts';
import { exitCode } from '../../verdict/exit-code.ts';
import type { Outcome } from '../../verdict/exit-code.ts';
import { decide } from '../../verdict/verdict.ts';
import type { Evidence } from '../../verdict/verdict.ts';

const good: Check = { at: [], what: 'step a: status', ok: true, expected: '200', actual: '200' };
const bad: Check = { ...good, ok: false, actual: '500' };
const soft: Check = { ...bad, soft: 'observe' };
const listed = { verdict: 'fail', reason: 'bug 1' } as const;
const inconclusive = { ...listed, verdict: 'inconclusive' } as const;
const unstable = { ...listed, verdict: 'unstable' } as const;
const crash = { fault: 'implementation', message: 'exited with code 7' } as const;
const base: Evidence = { level: 'must', undeclared: [], checks: [good], controls: [], witnesses: [] };

describe('decide', () => {
  test.each<readonly [string, Partial<Evidence>, string]>([
    ['everything holds', {}, 'pass'],
    ['a check fails', { checks: [good, bad] }, 'fail'],
    ['nothing was checked', { checks: [] }, 'error'],
    ['only a control was checked', { checks: [], controls: [good] }, 'error'],
    ['a control fails, whatever the checks say', { controls: [bad] }, 'inconclusive'],
    ['a control fails and a check fails', { controls: [bad], checks: [bad] }, 'inconclusive'],
    ['a witness is missing', { witnesses: [bad] }, 'inconclusive'],
    ['a witness is missing and a check fails', { witnesses: [bad], checks: [bad] }, 'inconclusive'],
    ['a feature is not declared', { undeclared: ['core.x'], checks: [bad] }, 'unsupported'],
    ['the user left it out', { skipped: 'not selected', undeclared: ['core.x'] }, 'skipped'],
    ['it broke', { broken: { fault: 'harness', message: 'boom' } }, 'error'],
    ['an observation fails', { level: 'observe', checks: [bad] }, 'observe'],
    ['an observation without an answer to observe', { level: 'observe', checks: [] }, 'error'],
    ['a recorded check fails beside a good one', { checks: [good, soft] }, 'pass'],
    ['there are only recorded checks', { checks: [soft] }, 'observe'],
    ['it is known', { checks: [bad], known: listed }, 'known'],
    ['it is known with this message', { checks: [bad], known: { ...listed, message: 'got 500' } }, 'known'],
    ['it is known with another message', { checks: [bad], known: { ...listed, message: 'got 404' } }, 'fail'],
    ['it is known and passed', { known: listed }, 'stale'],
    ['it is known to fail and its control fails', { controls: [bad], known: listed }, 'inconclusive'],
    ['it is known to fail and broke', { broken: crash, known: listed }, 'error'],
    ['it is known and only records', { level: 'observe', checks: [bad], known: listed }, 'observe'],
    ['it is known and lacks a feature', { undeclared: ['core.x'], known: listed }, 'unsupported'],
    ['it is known to be inconclusive, by its control', { controls: [bad], known: inconclusive }, 'known'],
    ['it is known to be inconclusive, by its witness', { witnesses: [bad], known: inconclusive }, 'known'],
    [
      'it is known to be inconclusive in another way',
      { controls: [bad], known: { ...inconclusive, message: 'witness missing' } },
      'inconclusive',
    ],
    ['it is known to be inconclusive and fails', { checks: [bad], known: inconclusive }, 'fail'],
    ['it is known to be inconclusive and passed', { known: inconclusive }, 'stale'],
    ['it is known to break the implementation', { broken: crash, known: { ...listed, verdict: 'error' } }, 'known'],
    [
      'it is known to break it with this message',
      { broken: crash, known: { ...listed, verdict: 'error', message: 'exited with code 7' } },
      'known',
    ],
    [
      'it is known to break it with another message',
      { broken: crash, known: { ...listed, verdict: 'error', message: 'exited with code 8' } },
      'error',
    ],
    [
      'it is known to break and is a mistake of the case',
      { broken: { fault: 'case', message: 'no such peer' }, known: { ...listed, verdict: 'error' } },
      'error',
    ],
    ['it is known to look at nothing', { checks: [], known: { ...listed, verdict: 'error' } }, 'error'],
    ['it is known to be unstable and fails', { checks: [bad], known: unstable }, 'known'],
    ['it is known to be unstable and passes', { known: unstable }, 'known'],
    ['it is known to be unstable and is inconclusive', { controls: [bad], known: unstable }, 'known'],
    ['it is known to be unstable and broke', { broken: crash, known: unstable }, 'known'],
    [
      'it is known to be unstable with another message',
      { checks: [bad], known: { ...unstable, message: 'got 404' } },
      'fail',
    ],
  ])('%s', (_, evidence, verdict) => {
    expect(decide({ ...base, ...evidence }).verdict).toBe(verdict);
  });

  test('the reason of a failure names place, expectation and answer', () => {
    expect(decide({ ...base, checks: [bad] }).reason).toBe('step a: status: expected 200, got 500');
  });

  test('the reason of a listed case is that of the list, and an unstable one says how it came out', () => {
    expect(decide({ ...base, checks: [bad], known: listed }).reason).toBe('bug 1');
    expect(decide({ ...base, known: unstable }).reason).toBe('bug 1 (this time pass)');
  });

  test('the reason of a case that came out otherwise than listed says how it is listed', () => {
    const known = { ...inconclusive, message: 'witness missing' };
    expect(decide({ ...base, checks: [bad], known }).reason).toBe(
      'step a: status: expected 200, got 500 (listed as known: inconclusive with "witness missing")',
    );
    expect(decide({ ...base, known }).reason).toBe('listed as known (bug 1) and passed');
  });

  test('an error without another culprit is the fault of the case', () => {
    expect(decide({ ...base, checks: [] })).toMatchObject({ verdict: 'error', fault: 'case' });
  });
});

function run(results: Outcome['results'], over: Partial<Outcome> = {}): number {
  return exitCode({ planned: results.length, results, knownProblems: 0, ...over });
}

describe('exitCode', () => {
  const pass = { verdict: 'pass', level: 'must' } as const;

  test.each<readonly [string, number, number]>([
    [
      'all required pass',
      run([pass, { verdict: 'unsupported', level: 'must' }, { verdict: 'observe', level: 'observe' }]),
      0,
    ],
    ['a required case is known', run([pass, { verdict: 'known', level: 'must' }]), 0],
    ['a required case fails', run([pass, { verdict: 'fail', level: 'must' }]), 1],
    ['a required case is inconclusive', run([pass, { verdict: 'inconclusive', level: 'must' }]), 1],
    ['a required case is stale', run([pass, { verdict: 'stale', level: 'must' }]), 1],
    ['a recommended case fails', run([pass, { verdict: 'fail', level: 'should' }]), 0],
    ['nothing required passed', run([{ verdict: 'unsupported', level: 'must' }]), 1],
    ['the list of known failures is wrong', run([pass], { knownProblems: 1 }), 1],
    ['a case is wrong', run([pass, { verdict: 'error', level: 'must', fault: 'case' }]), 2],
    ['nothing was selected', run([]), 2],
    ['the command line is wrong', run([pass], { stopped: 'usage' }), 2],
    ['the harness broke', run([pass, { verdict: 'error', level: 'must', fault: 'harness' }]), 3],
    [
      'the implementation crashed in one case',
      run([pass, { verdict: 'error', level: 'must', fault: 'implementation' }]),
      1,
    ],
    ['the implementation never ran', run([{ verdict: 'error', level: 'must', fault: 'implementation' }]), 3],
    ['the run was interrupted', run([pass], { stopped: 'interrupted' }), 3],
    ['work is unfinished', run([pass], { planned: 2 }), 3],
    ['a required case is unstable', run([pass, { verdict: 'unstable', level: 'must' }]), 4],
    ['nothing but an unstable case ran', run([{ verdict: 'unstable', level: 'must' }]), 4],
    ['the user allows that', run([pass, { verdict: 'unstable', level: 'must' }], { allowUnstable: true }), 0],
    ['a recommended case is unstable', run([pass, { verdict: 'unstable', level: 'should' }]), 0],
    [
      'one is unstable and one fails',
      run([
        { verdict: 'unstable', level: 'must' },
        { verdict: 'fail', level: 'must' },
      ]),
      1,
    ],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBe(expected);
  });
});
