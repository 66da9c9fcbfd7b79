import { expect, test } from 'vitest';
import { Cancellation } from '../../base/cancellation.ts';
import { systemClock } from '../../base/clock.ts';
import { HeaderMap } from '../../base/headers.ts';
import type { Received, Request } from '../../exchange/exchange.ts';
import { requestSnapshot } from '../../pipeline/snapshots.ts';
import { encodeEvent } from '../../trace/encode.ts';
import type { TraceMessage } from '../../trace/events.ts';
import { gateway, viewWith } from '../trace/views.ts';

const route = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { namespace: 'ns', name: 'r' },
  spec: { parentRefs: [{ name: 'gw' }], rules: [{}] },
};

const policy = (name: string, target: object, traffic: object): unknown => ({
  apiVersion: 'proxy.example/v1alpha1',
  kind: 'ProxyPolicy',
  metadata: { namespace: 'ns', name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], traffic },
});

const view = viewWith(
  gateway('ns', 'gw', 3000, 'h.test'),
  route,
  policy(
    'keys',
    { kind: 'HTTPRoute', name: 'r' },
    {
      apiKeyAuthentication: { secretRef: { name: 's' }, location: { header: { name: 'X-Staff-Key' } } },
    },
  ),
  policy(
    'users',
    { kind: 'Gateway', name: 'gw' },
    {
      phase: 'PreRouting',
      basicAuthentication: { users: ['ada:x'], location: { queryParameter: { name: 'staff key' } } },
    },
  ),
);

/** What a reader of the trace gets of a request that has just arrived. */
function shown(authority: string, under = view): unknown {
  const messages: TraceMessage[] = [];
  const headers = HeaderMap.of([
    ['x-staff-key', 's3cret-1'],
    ['x-staff-key', 's3cret-2'],
    ['x-other', 'open'],
  ]);
  const target = '/a?x=1&staff%20key=s3cret-3&staff+key=s3cret-4&staff=y?z';
  const request: Request = {
    method: 'GET',
    scheme: 'http',
    authority,
    target,
    version: 'HTTP/1.1',
    headers,
    body: undefined,
  };
  const received: Received = {
    request,
    asked: request,
    source: { address: '10.1.2.3', port: 40_000 },
    port: 3000,
    cancellation: new Cancellation(),
    facts: {},
    handover: {},
    view: under,
    clock: systemClock,
    startedAt: 0,
    trace: { active: true, emit: (message) => messages.push(message), finish: () => {} },
  };
  requestSnapshot(received, 'initial request');
  const [message] = messages;
  if (message === undefined) return undefined;
  const line: unknown = JSON.parse(encodeEvent({ eventStart: null, eventEnd: 0, severity: 'info', message }));
  return line;
}

test('a credential that a policy of the listener asks for is in no snapshot', () => {
  const seen = shown('H.test:3000');
  expect(JSON.stringify(seen)).not.toContain('s3cret');
  const query = 'x=1&staff%20key=<redacted>&staff+key=<redacted>&staff=y?z';
  expect(seen).toMatchObject({
    message: {
      requestState: {
        request: {
          uri: `http://H.test:3000/a?${query}`,
          pathAndQuery: `/a?${query}`,
          path: '/a',
          headers: { 'x-staff-key': '<redacted>', 'x-other': 'open' },
        },
      },
    },
  });
});

test('the same fields of a request that no such policy sees are shown', () => {
  expect(JSON.stringify(shown('other.test'))).toContain('s3cret-1');
});

test('nor one that is asked for on the way to models, where no route hangs on the listener', () => {
  const model = {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyModel',
    metadata: { namespace: 'ns', name: 'm' },
    spec: {
      parentRefs: [{ name: 'gw' }],
      provider: 'Vendor1',
      policies: {
        auth: {
          oauthTokenExchange: {
            backendRef: { name: 'tokens', port: 80 },
            subjectToken: { source: { header: { name: 'X-Staff-Key' } } },
          },
        },
      },
    },
  };
  const keys = {
    apiKeyAuthentication: { secretRef: { name: 's' }, location: { queryParameter: { name: 'staff key' } } },
  };
  const under = viewWith(
    gateway('ns', 'gw', 3000, 'h.test'),
    model,
    policy('keys', { kind: 'Gateway', name: 'gw' }, keys),
  );
  expect(JSON.stringify(shown('h.test', under))).not.toContain('s3cret');
});
