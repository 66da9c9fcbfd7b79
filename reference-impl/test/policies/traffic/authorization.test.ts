import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { authorization, verdict } from '../../../policies/traffic/authorization.ts';
import type { Authorization } from '../../../resources/proxy-policy/fields/authorization.ts';
import type { TraceMessage } from '../../../trace/events.ts';
import { DISCARD } from '../../../trace/recorder.ts';
import { exchangeOf, textOf } from '../support/exchange.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';

type Action = NonNullable<Authorization['action']>;
const YES = 'request.method == "GET"';
const NO = 'request.method == "PUT"';
const FAILS = 'request.headers["none"] == "x"';
const BROKEN = '1 +';
const NUMBER = '1';

const rule = (action: Action | undefined, ...matchExpressions: string[]): Authorization => ({
  ...(action && { action }),
  policy: { matchExpressions },
});

async function decision(rules: readonly Authorization[]): Promise<'allow' | 'deny'> {
  const outcome = await authorization.request?.(exchangeOf(), authorization.compile(rules, ORIGIN), SERVICES);
  if (outcome?.kind !== 'answer') return 'allow';
  expect(outcome.answer).toMatchObject({ status: 403, from: 'failure', failure: { code: 'authorizationFailed' } });
  expect(await textOf(outcome.answer.body)).toBe('authorization failed');
  return 'deny';
}

describe('authorization', () => {
  const rows: readonly (readonly [string, readonly Authorization[], 'allow' | 'deny'])[] = [
    ['no rules', [], 'allow'],
    ['AUTHZ-003 an Allow rule that matches', [rule('Allow', YES)], 'allow'],
    ['AUTHZ-002 Allow is the default', [rule(undefined, NO)], 'deny'],
    ['AUTHZ-004 no Allow rule matches', [rule('Allow', NO)], 'deny'],
    ['AUTHZ-005 one Allow of several suffices', [rule('Allow', NO), rule('Allow', YES)], 'allow'],
    ['AUTHZ-001 every expression must be true', [rule('Allow', YES, NO)], 'deny'],
    ['AUTHZ-001 a Deny rule with one false expression', [rule('Deny', YES, NO)], 'allow'],
    ['AUTHZ-006 one Require of several fails', [rule('Require', YES), rule('Require', NO)], 'deny'],
    ['AUTHZ-007 every Require matches', [rule('Require', YES), rule('Require', YES)], 'allow'],
    ['AUTHZ-008 a Deny rule that matches', [rule('Deny', YES)], 'deny'],
    ['AUTHZ-009 a Deny rule that does not', [rule('Deny', NO)], 'allow'],
    ['AUTHZ-010 a Deny rule that fails', [rule('Deny', FAILS)], 'allow'],
    ['AUTHZ-011 an Allow rule that fails', [rule('Allow', FAILS)], 'deny'],
    ['AUTHZ-012 a Require rule that fails', [rule('Require', FAILS)], 'deny'],
    ['a value that is not boolean is not true', [rule('Allow', NUMBER)], 'deny'],
    ['a broken Allow expression', [rule('Allow', BROKEN)], 'deny'],
    ['a broken Require expression', [rule('Require', BROKEN)], 'deny'],
    ['a broken Deny expression', [rule('Deny', BROKEN)], 'allow'],
    ['AUTHZ-015 Deny goes before Allow', [rule('Allow', YES), rule('Deny', YES)], 'deny'],
    ['Require holds beside a matching Allow', [rule('Allow', YES), rule('Require', NO)], 'deny'],
    ['Allow is needed beside a met Require', [rule('Allow', NO), rule('Require', YES)], 'deny'],
  ];

  test.each(rows)('%s', async (_, rules, expected) => {
    expect(await decision(rules)).toBe(expected);
  });

  test('the order of rules does not matter, and the verdict is that of the three sentences', () => {
    const result = fc.record({ mode: fc.constantFrom('allow', 'deny', 'require'), matched: fc.boolean() });
    fc.assert(
      fc.property(fc.array(result, { maxLength: 6 }), (results) => {
        const denied = results.some(({ mode, matched }) => mode === 'deny' && matched);
        const unmet = results.some(({ mode, matched }) => mode === 'require' && !matched);
        const ungranted =
          results.some(({ mode }) => mode === 'allow') &&
          !results.some(({ mode, matched }) => mode === 'allow' && matched);
        const expected = denied || unmet || ungranted ? 'deny' : 'allow';
        expect(verdict(results)).toBe(expected);
        expect(verdict(results.toReversed())).toBe(expected);
      }),
    );
  });

  test('the trace names every rule and its result', async () => {
    const messages: TraceMessage[] = [];
    const trace = { ...DISCARD, active: true, emit: (message: TraceMessage) => messages.push(message) };
    const rules = [rule('Allow', YES, 'true'), rule('Deny', NO)];
    await authorization.request?.({ ...exchangeOf(), trace }, authorization.compile(rules, ORIGIN), SERVICES);
    expect(messages).toEqual([
      {
        type: 'authorizationResult',
        result: 'allow',
        rules: [
          { name: `${YES} && true`, mode: 'allow', matched: true },
          { name: NO, mode: 'deny', matched: false },
        ],
      },
    ]);
  });

  test('a rule may read the body, which goes on', async () => {
    const compiled = authorization.compile([rule('Allow', 'json(request.body).model == "m"')], ORIGIN);
    const outcome = await authorization.request?.(
      exchangeOf({ method: 'POST', body: '{"model":"m"}' }),
      compiled,
      SERVICES,
    );
    expect(outcome?.kind).toBe('change');
    if (outcome?.kind === 'change') expect(await textOf(outcome.request?.body)).toBe('{"model":"m"}');
  });
});
