import { describe, expect, test } from 'vitest';
import { originText, outcomeOf } from '../../../admin/ui/outcome.ts';
import { eventRow } from '../../../trace/event-row.ts';

const origin = (name: string, level: string): object => ({ kind: 'ProxyPolicy', namespace: 'default', name, level });
const selection = (phase: string, sources: object): object => ({ type: 'policySelection', phase, sources });
const policy = (kind: string, details: string, severity = 'info'): object => ({
  severity,
  message: { type: 'policy', kind, result: { type: 'apply', details, snapshot: null } },
});
const END = { type: 'requestFinished' };
const CALL = [
  { type: 'backendCallStart', target: '10.0.0.1:80' },
  { type: 'backendCallResult', status: 503, error: null },
];

/** Messages, or whole events. */
function outcome(...events: readonly object[]): string | undefined {
  const rows = events.map((event) => eventRow(JSON.stringify('message' in event ? event : { message: event })));
  const found = outcomeOf(rows);
  return found && [found.tone, found.text, ...found.origins.map(originText)].join(' | ');
}

describe('what became of a request', () => {
  test('a policy that denied is named with the resource that says so, at the phase it acted in', () => {
    const gateway = selection('gateway', { apiKeyAuthentication: [origin('wide', 'gateway')] });
    const route = selection('route', { apiKeyAuthentication: [origin('narrow', 'routeRule')] });
    const denial = policy('api_key', 'answered 401', 'error');
    const text = 'bad | denied by apiKeyAuthentication: answered 401 | ProxyPolicy default/';
    expect(outcome(gateway, denial, END)).toBe(`${text}wide at gateway`);
    expect(outcome(gateway, route, denial, END)).toBe(`${text}narrow at routeRule`);
  });

  test('rules of several levels deny together', () => {
    const both = [origin('wide', 'gateway'), origin('narrow', 'route')];
    const denial = { type: 'authorizationResult', result: 'deny', rules: [] };
    expect(outcome(selection('route', { authorization: both }), denial, END)).toBe(
      'bad | denied by authorization | ProxyPolicy default/wide at gateway | ProxyPolicy default/narrow at route',
    );
  });

  test('one part of a field is told under the name of the field', () => {
    const denial = policy('local_rate_limit', 'answered 429', 'error');
    expect(outcome(selection('route', { rateLimit: [origin('slow', 'route')] }), denial)).toBe(
      'bad | denied by rateLimit: answered 429 | ProxyPolicy default/slow at route',
    );
  });

  test.each([
    [
      'a policy that failed',
      [policy('ext_authz', 'failed: refused', 'error')],
      'bad | stopped by ext_authz: failed: refused',
    ],
    [
      'no route',
      [{ type: 'routeSelection', selectedRoute: null, evaluatedRoutes: ['a'] }],
      'bad | no route matches; 1 rule was looked at',
    ],
    ['a backend', CALL, 'bad | the backend 10.0.0.1:80 answered 503'],
    [
      'a dead backend',
      [{ type: 'backendCallResult', status: null, error: 'reset' }],
      'bad | the backend failed: reset',
    ],
    ['a call of a policy', [{ scope: ['ext_authz'], message: CALL[1] }], undefined],
    [
      'an answer of a policy',
      [policy('direct_response', 'answered 200'), END],
      'plain | answered by directResponse: answered 200',
    ],
    ['nothing yet', [{ type: 'requestStarted' }], undefined],
    ['another form', [{ message: 'text' }, { message: { type: 'policy', result: 7 } }], undefined],
  ])('%s', (_, events, text) => {
    expect(outcome(...events)).toBe(text);
  });
});
