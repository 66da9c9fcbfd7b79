import { afterEach, expect, test, vi } from 'vitest';
import { buildView } from '../../attachment/view.ts';
import { compileBackend, compileGateway, compileRoute, compileView } from '../../pipeline/compile-view.ts';
import { auth } from '../../policies/backend/auth.ts';
import { delay } from '../../policies/traffic/delay.ts';
import { backend, gateway, policy, resource, route, snapshotWith } from '../attachment/support/resources.ts';

const compiledDelay = vi.spyOn(delay, 'compile');
const compiledAuth = vi.spyOn(auth, 'compile');
afterEach(() => {
  compiledDelay.mockClear();
  compiledAuth.mockClear();
});

const key = { backend: { auth: { key: 'k' } } };
const delayed = (duration: string) => ({ traffic: { delay: { duration } } });

test('every policy of a view is compiled before a request meets it', () => {
  const provider = { provider: 'Custom', baseURL: 'http://a.test', custom: { formats: [{ type: 'Completions' }] } };
  const parentRefs = [{ name: 'gw' }];
  const view = buildView(
    snapshotWith(
      gateway('gw'),
      route('r'),
      backend('b'),
      resource('ProxyModel', 'm', { spec: { parentRefs, ...provider, policies: { auth: { key: 'm' } } } }),
      policy('on-route', 'HTTPRoute/r', delayed('1s')),
      policy('on-gateway', 'Gateway/gw', delayed('2s')),
      policy('on-backend', 'ProxyBackend/b', key),
    ),
  );
  compileView(view);
  // What is said of the Gateway holds for models; the route says otherwise.
  expect(compiledDelay.mock.calls.map(([{ duration }]) => duration).toSorted()).toEqual(['1s', '2s']);
  expect(new Set(compiledAuth.mock.calls.map(([field]) => field.key))).toEqual(new Set(['k', 'm']));

  const [listener] = view.binds.get(3000)?.listeners ?? [];
  const [rule] = listener?.rules ?? [];
  const reached = rule?.backends[0]?.backend;
  if (listener === undefined || rule === undefined || reached === undefined || 'unresolved' in reached) {
    throw new Error('nothing to compile');
  }
  compileGateway(listener.preRouting);
  compileRoute(rule.postRouting);
  compileBackend(reached.policies);
  expect([compiledDelay.mock.calls.length, compiledAuth.mock.calls.length]).toEqual([2, 2]);
});

test('of the next view only what is new is compiled', () => {
  const [gw, r, b] = [gateway('gw'), route('r'), backend('b')];
  const first = policy('first', 'HTTPRoute/r', delayed('1s'));
  compileView(buildView(snapshotWith(gw, r, b, first)));
  compileView(
    buildView(snapshotWith(gw, r, b, first, route('other'), policy('second', 'HTTPRoute/other', delayed('3s')))),
  );
  expect(compiledDelay.mock.calls.map(([{ duration }]) => duration)).toEqual(['1s', '3s']);
});
