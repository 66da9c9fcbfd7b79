import { expect, test } from 'vitest';
import { buildView, type View } from '../../attachment/view.ts';
import { backend, gateway, policy, request, route, snapshotWith } from './support/resources.ts';

const [gw, r, b] = [gateway('gw'), route('r'), backend('b')];
const base = [gw, r, b];

test('a request finds its rule, its backend and the merged policies of the way', () => {
  const view = buildView(
    snapshotWith(
      ...base,
      policy('low', 'Gateway/gw', { traffic: { timeouts: { request: '1s' }, delay: { duration: '2s' } } }),
      policy('high', 'HTTPRoute/r', { traffic: { timeouts: { request: '9s' } } }),
      policy('pre', 'Gateway/gw', { traffic: { phase: 'PreRouting', delay: { duration: '3s' } } }),
      policy('tcp', 'ProxyBackend/b', { backend: { tcp: { connectTimeout: '5s' } } }),
    ),
  );
  const listener = view.binds.get(3000)?.selectListener('a.test');
  const rule = listener?.selectRoute(request('a.test', '/x'));
  expect(rule).toMatchObject({
    key: 'ns/r.0',
    route: { kind: 'HTTPRoute', namespace: 'ns', name: 'r', rule: 'rule' },
    matchedPrefix: '/',
    postRouting: { timeouts: { request: '9s' }, delay: { duration: '2s' } },
    backends: [
      {
        weight: 1,
        backend: {
          name: 'ns/b',
          type: 'static',
          endpoints: [{ kind: 'tcp', host: '127.0.0.1', port: 8000 }],
          policies: { tcp: { connectTimeout: '5s' } },
        },
      },
    ],
  });
  expect(listener?.preRouting).toMatchObject({ delay: { duration: '3s' } });
  expect(listener?.evaluatedRoutes('a.test')).toEqual(['ns/r.0']);
});

const prefix = (value: string) => ({ path: { type: 'PathPrefix', value } });

test('a rule is merged once, and every match of it says what prefix it took', () => {
  const rules = [{ matches: [prefix('/a'), prefix('/b/')], timeouts: { request: '9s' } }];
  const listener = buildView(snapshotWith(gw, route('r', { rules }))).binds.get(3000)?.listeners[0];
  const [first, second] = ['/a/x', '/b/x'].map((path) => listener?.selectRoute(request('a.test', path)));
  expect([first?.matchedPrefix, second?.matchedPrefix]).toEqual(['/a', '/b']);
  expect(listener?.rules.map(({ key }) => key)).toEqual(['ns/r.0']);
  expect(first?.postRouting).toBe(second?.postRouting);
  expect(listener?.selectRoute(request('a.test', '/a'))).toBe(first);
});

const keyFor = (view: View, host: string) =>
  view.binds.get(3000)?.selectListener(host)?.selectRoute(request(host, '/'))?.key;

test('a view keeps what it was built from, and the next one sees what changed', () => {
  const before = buildView(snapshotWith(gw, r, b));
  const after = buildView(snapshotWith(gw, r, b, route('more', { hostnames: ['more.test'] })));
  const without = buildView(snapshotWith(gw, b));
  expect([before, after, without].map((view) => keyFor(view, 'more.test'))).toEqual(['ns/r.0', 'ns/more.0', undefined]);
});

test.each([
  ['host', (index: number) => ({ hostnames: [`h${index}.test`] }), 'PathPrefix', () => '/'],
  ['exact path', () => ({}), 'Exact', (index: number) => `/p${index}/x`],
  ['path prefix', () => ({}), 'PathPrefix', (index: number) => `/p${index}/x`],
] as const)('among ten thousand routes told apart by %s one is tried', (_, spec, type, pathOf) => {
  const count = 10_000;
  // Through the schema once is enough.
  const template = route('r');
  const routes = Array.from({ length: count }, (__, index) => {
    const path = { type, value: pathOf(index) };
    const rules = [{ matches: [{ path, headers: [{ name: 'x', value: '1' }] }] }];
    return {
      ...template,
      metadata: { ...template.metadata, name: `r${index}` },
      spec: { ...template.spec, rules, ...spec(index) },
    };
  });
  const listener = buildView(snapshotWith(gateway('gw'), ...routes)).binds.get(3000)?.listeners[0];
  let tried = 0;
  const header = () => {
    tried += 1;
    return '1';
  };
  for (const index of [0, 1, 777, count - 1]) {
    expect(listener?.selectRoute(request(`h${index}.test`, pathOf(index), { header }))?.key).toBe(`ns/r${index}.0`);
  }
  expect(tried).toBe(4);
});
