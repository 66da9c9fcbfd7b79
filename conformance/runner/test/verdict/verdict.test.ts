import { describe, expect, test } from 'vitest';
import type { Check } from '../../values/check.ts';
import { exitCode } from '../../verdict/exit-code.ts';
import type { Outcome } from '../../verdict/exit-code.ts';
import { knownFailure, knownProblems, parseKnownFailures } from '../../verdict/known-failures.ts';
import { decide } from '../../verdict/verdict.ts';
import type { Evidence } from '../../verdict/verdict.ts';

const good: Check = { at: [], what: 'step a: status', ok: true, expected: '200', actual: '200' };
const bad: Check = { ...good, ok: false, actual: '500' };
const soft: Check = { ...bad, soft: 'observe' };
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
    ['it is known', { checks: [bad], known: { reason: 'bug 1' } }, 'known'],
    ['it is known with this message', { checks: [bad], known: { reason: 'bug 1', message: 'got 500' } }, 'known'],
    ['it is known with another message', { checks: [bad], known: { reason: 'bug 1', message: 'got 404' } }, 'fail'],
    ['it is known and passed', { known: { reason: 'bug 1' } }, 'stale'],
  ])('%s', (_, evidence, verdict) => {
    expect(decide({ ...base, ...evidence }).verdict).toBe(verdict);
  });

  test('the reason of a failure names place, expectation and answer', () => {
    expect(decide({ ...base, checks: [bad] }).reason).toBe('step a: status: expected 200, got 500');
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

describe('known failures', () => {
  const text = `
- { case: 'a.b*', reason: slow, owner: me, until: 2030-01-01, message: got 500 }
- { case: a.c, reason: gone, owner: me }
`;
  const entries = parseKnownFailures('known.yaml', text);

  test('an entry counts until its day has passed', () => {
    expect(knownFailure(entries, 'a.b[x]', '2030-01-01')?.reason).toBe('slow');
    expect(knownFailure(entries, 'a.b[x]', '2030-01-02')).toBeUndefined();
    expect(knownFailure(entries, 'x.a.b', '2029-01-01')).toBeUndefined();
  });

  test('what is wrong with the list is said after the run', () => {
    const results = [
      { id: 'a.b[x]', verdict: 'fail' },
      { id: 'a.b[y]', verdict: 'known' },
    ] as const;
    expect(knownProblems(entries, results, '2029-01-01').map(({ problem }) => problem)).toEqual([
      'other reason',
      'unmatched',
    ]);
    // A selection leaves cases out; that says nothing about the entries that name them.
    expect(knownProblems(entries, results, '2029-01-01', ['a.b[x]', 'a.c']).map(({ problem }) => problem)).toEqual([
      'other reason',
    ]);
    expect(knownProblems(entries.slice(0, 1), results, '2031-01-01').map(({ problem }) => problem)).toEqual([
      'expired',
    ]);
    expect(
      knownProblems(entries.slice(1), [{ id: 'a.c', verdict: 'stale' }], '2029-01-01').map(({ problem }) => problem),
    ).toEqual(['stale']);
    expect(knownProblems(entries.slice(1), [{ id: 'a.c', verdict: 'known' }], '2029-01-01')).toEqual([]);
  });

  test.each([
    ['- { case: a, reason: r }', 'known.yaml: entry 0.owner'],
    ['- { case: a, reason: r, owner: o, untill: 2030-01-01 }', 'untill'],
  ])('%s is refused', (wrong, message) => {
    expect(() => parseKnownFailures('known.yaml', wrong)).toThrow(message);
  });
});
