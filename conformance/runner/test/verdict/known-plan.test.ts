import { describe, expect, test } from 'vitest';
import { parseKnownFailures, type KnownFailure } from '../../verdict/known-failures.ts';
import { planKnown, type KnownPlan, type SeenResult } from '../../verdict/known-plan.ts';

const IDS = new Map([
  ['a.rows', ['a.rows[x]', 'a.rows[y]']],
  ['a.views', ['a.views@op', 'a.views@trace']],
  ['a.one', ['a.one']],
  ['a.one-more', ['a.one-more']],
]);

function entries(text: string): readonly KnownFailure[] {
  const read = parseKnownFailures('known.yaml', text);
  return 'entries' in read ? read.entries : [];
}

function plan(results: readonly SeenResult[], list = ''): KnownPlan {
  return planKnown(entries(list), results, IDS);
}

function failed(id: string, more: Partial<SeenResult> = {}): SeenResult {
  return { id, verdict: 'fail', reason: 'status: expected 200, got 500', ...more };
}

describe('what a list lacks after a run', () => {
  test('is everything that did not pass, as it came out', () => {
    const { missing } = plan([
      failed('a.one'),
      failed('a.one-more', { verdict: 'inconclusive' }),
      failed('a.rows[x]', { verdict: 'unstable' }),
      failed('a.rows[y]', { verdict: 'error', fault: 'implementation' }),
      { id: 'a.views@op', verdict: 'pass' },
    ]);
    expect(missing.map((entry) => [entry.case, entry.verdict])).toEqual([
      ['a.rows[x]', 'unstable'],
      ['a.rows[y]', 'error'],
      ['a.one', 'fail'],
      ['a.one-more', 'inconclusive'],
    ]);
    expect(missing[2]?.said).toBe('status: expected 200, got 500');
  });

  test('is one entry for all rows that came out the same way', () => {
    expect(plan([failed('a.rows[x]'), failed('a.rows[y]')]).missing).toMatchObject([{ case: 'a.rows[*]', count: 2 }]);
    expect(plan([failed('a.views@op'), failed('a.views@trace')]).missing).toMatchObject([{ case: 'a.views@*' }]);
    expect(plan([failed('a.rows[y]')]).missing).toMatchObject([{ case: 'a.rows[y]', count: 1 }]);
  });

  test('is nothing for mistakes of cases, and for what has an entry', () => {
    expect(plan([failed('a.one', { verdict: 'error', fault: 'case' })]).missing).toEqual([]);
    expect(plan([failed('a.one')], '- { case: a.one, reason: r, owner: o }').missing).toEqual([]);
  });

  test('is an unstable one where rounds of a run differ', () => {
    expect(plan([failed('a.one'), { id: 'a.one', verdict: 'pass' }]).missing).toMatchObject([
      { case: 'a.one', verdict: 'unstable', said: '1 fail, 1 pass; status: expected 200, got 500' },
    ]);
    expect(plan([failed('a.one'), failed('a.one')]).missing).toMatchObject([{ verdict: 'fail' }]);
  });
});

describe('an entry', () => {
  test.each<readonly [string, SeenResult, string, readonly string[]]>([
    ['stale', { id: 'a.one', verdict: 'stale' }, 'verdict: fail', ['a.one']],
    ['stale although the run had no list', { id: 'a.one', verdict: 'pass' }, 'verdict: error', ['a.one']],
    ['not stale when it is unstable', { id: 'a.one', verdict: 'pass' }, 'verdict: unstable', []],
    ['not stale when it came out as listed', { id: 'a.one', verdict: 'known' }, 'verdict: fail', []],
  ])('is %s', (_, result, verdict, stale) => {
    expect(plan([result], `- { case: a.one, reason: r, owner: o, ${verdict} }`).stale.map(({ id }) => id)).toEqual(
      stale,
    );
  });

  test.each<readonly [SeenResult, string, readonly string[]]>([
    [failed('a.one'), 'verdict: fail', []],
    [failed('a.one'), 'verdict: unstable', []],
    [failed('a.one', { verdict: 'unstable' }), 'verdict: unstable', []],
    [failed('a.one', { verdict: 'unstable' }), 'verdict: fail', ['unstable: status: expected 200, got 500']],
    [failed('a.one'), 'verdict: error', ['fail: status: expected 200, got 500']],
    [failed('a.one'), 'message: got 500', []],
    [failed('a.one'), 'message: got 404', ['fail: status: expected 200, got 500']],
  ])('for %j that says %s', (result, more, came) => {
    const { otherwise } = plan([result], `- { case: a.one, reason: r, owner: o, ${more} }`);
    expect(otherwise.map((one) => one.came)).toEqual(came);
  });

  test('that names no case, and a result of no case, are told', () => {
    const { unmatched, foreign } = plan([failed('b.gone')], '- { case: a.gone, reason: r, owner: o }');
    expect(unmatched.map(({ place }) => place)).toEqual(['known.yaml:1:3']);
    expect(foreign).toEqual(['b.gone']);
  });
});
