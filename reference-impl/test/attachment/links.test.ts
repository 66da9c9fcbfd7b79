import { expect, test } from 'vitest';
import { buildView } from '../../attachment/view.ts';
import type { Resource } from '../../resources/kinds.ts';
import { backend, gateway, policy, request, resource, route, snapshotWith } from './support/resources.ts';

const view = (...resources: readonly Resource[]) => buildView(snapshotWith(...resources));
const namespace = (name: string, labels: Record<string, string>) => resource('Namespace', name, {}, { labels });
const wants = (name: string, hostname: string, day: number) => ({
  ...gateway(name, [{ hostname }]),
  metadata: { ...gateway(name).metadata, creationTimestamp: `2026-01-0${day}T00:00:00Z` },
});
const delay = (seconds: number) => ({ traffic: { phase: 'PreRouting', delay: { duration: `${seconds}s` } } });
const slice = (name: string, owner: string, body: object) =>
  resource(
    'EndpointSlice',
    name,
    { addressType: 'IPv4', ...body },
    { labels: { 'kubernetes.io/service-name': owner } },
  );
const listenerStatuses = (of: ReturnType<typeof view>) =>
  of
    .status()
    .flatMap(({ kind, status }) => (kind === 'Gateway' && 'listeners' in status ? [status.listeners].flat() : []));
const tcp = (host: string, port: number) => ({ kind: 'tcp', host, port });
const labelled = (name: string, labels: Record<string, string>) => ({
  ...route(name, { parentRefs: [{ name: 'gw', namespace: 'ns' }], hostnames: [`${name.replace('/', '-')}.test`] }),
  metadata: { ...route(name).metadata, labels },
});
const keys = (resources: readonly Resource[], port = 3000) =>
  view(...resources)
    .binds.get(port)
    ?.listeners.map((listener) => [listener.name, listener.rules.map(({ key }) => key)]);

test('a listener is chosen by host: exact, longest wildcard, catch-all', () => {
  const hostnames = ['a.test', '*.test', '*.b.test', undefined];
  const listeners = hostnames.map((hostname, index) => ({ name: `l${index}`, ...(hostname && { hostname }) }));
  const bind = view(gateway('gw', listeners)).binds.get(3000);
  const chosen = [
    'a.test',
    'A.TEST',
    'x.test',
    'x.b.test',
    'y.x.b.test',
    'b.test',
    'test',
    '',
    '*.b.test',
    `${'a.'.repeat(5_000)}test`,
  ];
  expect(chosen.map((host) => bind?.selectListener(host)?.name)).toEqual([
    'l0',
    'l0',
    'l1',
    'l2',
    'l2',
    'l1',
    'l3',
    'l3',
    'l2',
    'l3',
  ]);
});

test('Gateways share a port while their host names differ; the older one keeps a name both want', () => {
  const all = view(wants('a', 'x.test', 2), wants('b', 'x.test', 1), wants('c', 'y.test', 3));
  const bind = all.binds.get(3000);
  expect(bind?.selectListener('x.test')?.gateway.name).toBe('b');
  expect(bind?.selectListener('y.test')?.gateway.name).toBe('c');
  expect(bind?.selectListener('z.test')).toBeUndefined();
  expect(all.status().find(({ name }) => name === 'a')).toMatchObject({
    status: {
      listeners: [{ conditions: [{ type: 'Accepted', status: 'False', reason: 'HostnameConflict' }, {}, {}, {}] }],
    },
  });
});

test.each([{ protocol: 'TCP' }, { protocol: 'TLS', tls: { mode: 'Passthrough' } }])(
  'a listener %j is not served, and its status says so',
  (listener) => {
    const only = view(gateway('gw', [listener]));
    expect(only.binds.size).toBe(0);
    const [unserved] = listenerStatuses(only);
    expect(unserved).toMatchObject({
      supportedKinds: [],
      conditions: [
        { type: 'Accepted', status: 'False', reason: 'UnsupportedProtocol' },
        { type: 'Conflicted', status: 'False' },
        { type: 'Programmed', status: 'False', reason: 'Invalid' },
        {},
      ],
    });
  },
);

test.each([
  [undefined, ['HTTPRoute', 'ProxyModel'], 'ResolvedRefs'],
  [[{ kind: 'HTTPRoute' }], ['HTTPRoute'], 'ResolvedRefs'],
  [[{ kind: 'HTTPRoute' }, { kind: 'TLSRoute' }], ['HTTPRoute'], 'InvalidRouteKinds'],
  [[{ kind: 'ProxyModel' }], [], 'InvalidRouteKinds'],
  [[{ group: 'proxy.example', kind: 'ProxyModel' }], ['ProxyModel'], 'ResolvedRefs'],
])('of kinds %j a listener supports %j and says %s', (kinds, supported, reason) => {
  const [status] = listenerStatuses(view(gateway('gw', [{ ...(kinds && { allowedRoutes: { kinds } }) }])));
  expect(status).toMatchObject({
    supportedKinds: supported.map((kind) => ({ kind })),
    conditions: [{}, {}, {}, { type: 'ResolvedRefs', reason }],
  });
});

test.each([
  [{}, ['ns/r.0']],
  [{ sectionName: 'a' }, ['ns/r.0']],
  [{ sectionName: 'b' }, []],
  [{ port: 3000 }, ['ns/r.0']],
  [{ port: 3001 }, []],
  [{ name: 'other' }, []],
  [{ namespace: 'elsewhere' }, []],
  [{ kind: 'Service', group: '' }, []],
])('parentRef %j attaches %j', (parentRef, expected) => {
  const resources = [gateway('gw', [{ name: 'a' }]), route('r', { parentRefs: [{ name: 'gw', ...parentRef }] })];
  expect(keys(resources)).toEqual([['a', expected]]);
});

test.each([
  [undefined, 'x/r', false],
  [{ namespaces: { from: 'All' } }, 'x/r', true],
  [{ namespaces: { from: 'None' } }, 'ns/r', false],
  [{ namespaces: { from: 'Selector', selector: { matchLabels: { team: 'red' } } } }, 'x/r', true],
  [{ namespaces: { from: 'Selector', selector: { matchLabels: { team: 'blue' } } } }, 'x/r', false],
  [
    { namespaces: { from: 'Selector', selector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] } } },
    'x/r',
    true,
  ],
  [
    { namespaces: { from: 'Selector', selector: { matchLabels: { 'kubernetes.io/metadata.name': 'y' } } } },
    'y/r',
    true,
  ],
  [{ kinds: [{ kind: 'GRPCRoute' }] }, 'ns/r', false],
])('allowedRoutes %j and route %s: %s', (allowedRoutes, name, allowed) => {
  const listener = allowedRoutes === undefined ? {} : { allowedRoutes };
  const resources = [
    gateway('gw', [listener]),
    namespace('x', { team: 'red' }),
    route(name, { parentRefs: [{ name: 'gw', namespace: 'ns' }] }),
  ];
  expect(keys(resources)).toEqual([['http', allowed ? [`${name}.0`] : []]]);
});

test.each([
  ['a.test', ['a.test'], true],
  ['a.test', ['b.test'], false],
  ['*.test', ['a.test', 'a.other'], true],
  ['a.test', ['*.test'], true],
  ['*.a.test', ['*.test'], true],
  ['*.a.test', ['*.b.test'], false],
  ['a.test', [], true],
])('listener %s and route %j overlap: %s', (hostname, hostnames, attached) => {
  expect(keys([gateway('gw', [{ hostname }]), route('r', { hostnames })])).toEqual([
    ['http', attached ? ['ns/r.0'] : []],
  ]);
});

test('a ListenerSet adds listeners where the Gateway allows it; routes and policies attach to the set itself', () => {
  const set = resource('ListenerSet', 'set', {
    spec: { parentRef: { name: 'gw' }, listeners: [{ name: 'extra', port: 3001, protocol: 'HTTP' }] },
  });
  const resources = [
    set,
    route('r', { parentRefs: [{ kind: 'ListenerSet', name: 'set' }] }),
    policy('low', 'Gateway/gw', delay(1)),
    policy('high', 'ListenerSet/set', delay(2)),
  ];
  expect(keys([gateway('gw'), ...resources], 3001)).toBeUndefined();
  const allowed = gateway('gw', [{}], { allowedListeners: { namespaces: { from: 'Same' } } });
  expect(keys([allowed, ...resources], 3001)).toEqual([['extra', ['ns/r.0']]]);
  const { binds } = view(allowed, ...resources);
  expect(binds.get(3000)?.listeners[0]?.preRouting).toMatchObject({ delay: { duration: '1s' } });
  expect(binds.get(3001)?.listeners[0]?.preRouting).toMatchObject({ delay: { duration: '2s' } });
});

const backendsOf = (resources: readonly Resource[], ...backendRefs: readonly object[]) =>
  view(gateway('gw'), route('r', { rules: [{ backendRefs }] }), ...resources)
    .binds.get(3000)
    ?.listeners[0]?.selectRoute(request('a.test', '/'))?.backends;

const proxyBackend = { group: 'proxy.example', kind: 'ProxyBackend' };
const mirror = (more: object) => ({
  type: 'RequestMirror',
  requestMirror: { backendRef: { ...proxyBackend, name: 'b' }, ...more },
});
const grant = (name: string, to: object) =>
  resource('ReferenceGrant', name, {
    spec: { from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'ns' }], to: [to] },
  });

test.each([
  [{ ...proxyBackend, name: 'none' }, [], 'backendNotFound'],
  [{ name: 'none', port: 80 }, [], 'serviceNotFound'],
  [{ name: 's' }, [], 'backendInvalid'],
  [{ name: 's', port: 81 }, [], 'backendInvalid'],
  [{ group: 'example.test', kind: 'Thing', name: 'x' }, [], 'backendInvalid'],
  [{ ...proxyBackend, name: 'far', namespace: 'x' }, [], 'backendInvalid'],
  [
    { ...proxyBackend, name: 'far', namespace: 'x' },
    [grant('x/g', { ...proxyBackend, name: 'other' })],
    'backendInvalid',
  ],
  [{ ...proxyBackend, name: 'far', namespace: 'x' }, [grant('ns/g', proxyBackend)], 'backendInvalid'],
  [{ ...proxyBackend, name: 'far', namespace: 'x' }, [grant('x/g', proxyBackend)], undefined],
])('backendRef %j with %# is %s', (ref, more, unresolved) => {
  const service = resource('Service', 's', { spec: { ports: [{ port: 80 }] } });
  const [found] = backendsOf([service, backend('x/far'), ...more], ref) ?? [];
  expect(found?.backend && 'unresolved' in found.backend ? found.backend.unresolved : undefined).toBe(unresolved);
});

test('endpoints of a Service come from its slices: ready ones, on the port of the same name', () => {
  const service = resource('Service', 's', {
    spec: {
      ports: [
        { name: 'a', port: 80, targetPort: 'named' },
        { name: 'b', port: 81, targetPort: 9000 },
      ],
    },
  });
  const endpoints = [
    { addresses: ['10.0.0.1'] },
    { addresses: ['10.0.0.2'], conditions: { ready: false } },
    { addresses: ['10.0.0.3'], conditions: { ready: true } },
  ];
  const resources = [
    service,
    slice('one', 's', { endpoints, ports: [{ name: 'a', port: 8080 }] }),
    slice('two', 'other', { endpoints, ports: [{ name: 'a', port: 1 }] }),
  ];
  const [a, b] = backendsOf(resources, { name: 's', port: 80, weight: 3 }, { name: 's', port: 81 }) ?? [];
  expect(a).toMatchObject({
    weight: 3,
    backend: { name: 'ns/s', type: 'service', endpoints: [tcp('10.0.0.1', 8080), tcp('10.0.0.3', 8080)] },
  });
  expect(b).toMatchObject({ weight: 1, backend: { endpoints: [tcp('10.0.0.1', 9000), tcp('10.0.0.3', 9000)] } });
});

test('mirror filters say where and how often', () => {
  const filters = [mirror({}), mirror({ percent: 25 }), mirror({ fraction: { numerator: 1, denominator: 8 } })];
  const rule = view(gateway('gw'), backend('b'), route('r', { rules: [{ filters }] }))
    .binds.get(3000)
    ?.listeners[0]?.selectRoute(request('a.test', '/'));
  expect(rule?.mirrors.map(({ share }) => share)).toEqual([1, 0.25, 0.125]);
  expect(rule?.mirrors[0]?.backend).toMatchObject({ name: 'ns/b' });
});

test('targetSelectors need every label, and stay in the namespace of the policy', () => {
  const selector = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', matchLabels: { a: '1', b: '2' } };
  const p = resource('ProxyPolicy', 'p', {
    spec: { targetSelectors: [selector], traffic: { timeouts: { request: '1s' } } },
  });
  const both = { a: '1', b: '2' };
  const routes = [
    labelled('yes', { ...both, c: '3' }),
    labelled('too', both),
    labelled('no', { a: '1' }),
    labelled('x/no', both),
  ];
  const listener = view(gateway('gw', [{ allowedRoutes: { namespaces: { from: 'All' } } }]), ...routes, p).binds.get(
    3000,
  )?.listeners[0];
  const affected = listener?.rules.filter(({ postRouting }) => postRouting.timeouts !== undefined);
  expect(affected?.map(({ route: { name } }) => name).toSorted()).toEqual(['too', 'yes']);
});
