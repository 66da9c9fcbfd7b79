import { describe, expect, test } from 'vitest';
import type { ConcreteCase } from '../../case/concrete-case.ts';
import { ownListeners, renderCase, renderConfig } from '../../case/topology.ts';
import { isObject } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';
import { caseOf, goodFile } from './support.ts';

const peers = {
  up: { host: '127.0.0.1', port: 81, authority: '127.0.0.1:81', url: 'http://127.0.0.1:81' },
  sock: { host: '127.0.0.1', port: 0, authority: '', url: '', socket: '/tmp/s' },
};

function render(given: ConcreteCase): readonly JsonObject[] {
  const scope = { case: given, row: given.row, peers };
  return renderCase(given, {
    scope,
    listenerPort: (name) => (ownListeners(given.topology).includes(name) ? 4000 : 3000),
  });
}

function find(resources: readonly JsonObject[], kind: string, name: string): JsonObject | undefined {
  return resources.find(({ kind: is, metadata }) => is === kind && isObject(metadata) && metadata['name'] === name);
}

const TO_UP = 'topology: { to: up }';

describe('the default topology', () => {
  const given = caseOf(goodFile());
  const resources = render(given);
  const metadata = (name: string): JsonObject => ({ name, namespace: given.namespace });

  test('is one gateway with the host of the case, one route with one rule, and the peer as a backend', () => {
    expect(resources.slice(0, 3)).toEqual([
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'Gateway',
        metadata: metadata('gw'),
        spec: {
          gatewayClassName: 'proxy',
          listeners: [{ name: 'http', port: 3000, protocol: 'HTTP', hostname: given.host }],
        },
      },
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'HTTPRoute',
        metadata: metadata('r'),
        spec: {
          parentRefs: [{ name: 'gw' }],
          rules: [
            {
              name: 'rule',
              matches: [{ path: { type: 'PathPrefix', value: '/' } }],
              backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'up' }],
            },
          ],
        },
      },
      {
        apiVersion: 'proxy.example/v1alpha1',
        kind: 'ProxyBackend',
        metadata: metadata('up'),
        spec: { static: { host: '127.0.0.1', port: 81 } },
      },
    ]);
  });

  test('is left out by preset none', () => {
    const kinds = render(caseOf(goodFile([TO_UP, 'topology: { preset: none }']))).map(({ kind }) => kind);
    expect(kinds).toEqual(['ProxyPolicy']);
  });
});

test('the short forms of targets are filled', () => {
  const refs =
    '[{ at: gateway }, { at: listener }, { at: route }, { at: rule }, { at: backend }, { at: service, name: s, sectionName: "80" }, { at: route, name: r2 }, { at: listenerSet, name: ls }]';
  const resources = render(caseOf(goodFile(['[{ at: route }]', refs])));
  const gateway = 'gateway.networking.k8s.io';
  expect(find(resources, 'ProxyPolicy', 'p')?.['spec']).toMatchObject({
    targetRefs: [
      { group: gateway, kind: 'Gateway', name: 'gw' },
      { group: gateway, kind: 'Gateway', name: 'gw', sectionName: 'http' },
      { group: gateway, kind: 'HTTPRoute', name: 'r' },
      { group: gateway, kind: 'HTTPRoute', name: 'r', sectionName: 'rule' },
      { group: 'proxy.example', kind: 'ProxyBackend', name: 'up' },
      { group: '', kind: 'Service', name: 's', sectionName: '80' },
      { group: gateway, kind: 'HTTPRoute', name: 'r2' },
      { group: gateway, kind: 'ListenerSet', name: 'ls' },
    ],
  });
});

test('a selector keeps its labels and has no name', () => {
  const given = caseOf(
    goodFile(['targetRefs: [{ at: route }]', 'targetSelectors: [{ at: route, matchLabels: { a: b } }]']),
  );
  expect(find(render(given), 'ProxyPolicy', 'p')?.['spec']).toMatchObject({
    targetSelectors: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', matchLabels: { a: 'b' } }],
  });
});

test('a peer fills host and port, a socket path, or a reference with a backend of its own', () => {
  const config = `      - { kind: ProxyBackend, metadata: { name: b }, spec: { static: { peer: up, weight: 1 } } }
      - { kind: ProxyBackend, metadata: { name: u }, spec: { static: { peer: sock } } }
      - { kind: ProxyPolicy, metadata: { name: q }, spec: { traffic: { remote: { backendRef: { peer: sock } } } } }
`;
  const given = caseOf(
    goodFile(
      ['    config:\n', `    config:\n${config}`],
      ['      up: {', '      sock: { kind: http, unix: true }\n      up: {'],
    ),
  );
  const resources = render(given);
  expect(find(resources, 'ProxyBackend', 'b')?.['spec']).toEqual({
    static: { host: '127.0.0.1', port: 81, weight: 1 },
  });
  expect(find(resources, 'ProxyBackend', 'u')?.['spec']).toEqual({ static: { unixPath: '/tmp/s' } });
  expect(find(resources, 'ProxyPolicy', 'q')?.['spec']).toEqual({
    traffic: { remote: { backendRef: { group: 'proxy.example', kind: 'ProxyBackend', name: 'sock' } } },
  });
  expect(find(resources, 'ProxyBackend', 'sock')?.['spec']).toEqual({ static: { unixPath: '/tmp/s' } });
});

test('routes, matches, weights, filters, services and listeners of their own', () => {
  const topology = `topology:
      listeners: [{ name: http }, { name: side, port: own, hostname: null }]
      listenerSets: [{ name: ls, listeners: [{ name: more, hostname: "m.\${case.host}" }] }]
      routes:
        - name: a
          listener: side
          host: h.test
          labels: { l: v }
          rules:
            - { name: one, path: { exact: /x }, method: GET, headers: { x-a: 1, x-b: { regex: "^b" } }, query: { q: v }, to: [{ peer: up, weight: 2 }, { service: up }], timeouts: { request: 1s } }
            - { path: { regex: "/y.*" }, to: { backend: other, namespace: n }, filters: [{ type: RequestMirror, requestMirror: { backendRef: { peer: up } } }] }
        - { name: b, listenerSet: ls, rules: [{ to: { service: web, port: 8001 } }] }`;
  const given = caseOf(goodFile([TO_UP, topology]));
  const resources = render(given);
  expect(find(resources, 'Gateway', 'gw')?.['spec']).toMatchObject({
    allowedListeners: { namespaces: { from: 'Same' } },
    listeners: [
      { name: 'http', port: 3000, hostname: given.host },
      { name: 'side', port: 4000, protocol: 'HTTP' },
    ],
  });
  expect(find(resources, 'ListenerSet', 'ls')?.['spec']).toMatchObject({
    parentRef: { name: 'gw' },
    listeners: [{ name: 'more', port: 3000, hostname: `m.${given.host}` }],
  });
  const backend = { group: 'proxy.example', kind: 'ProxyBackend' };
  expect(find(resources, 'HTTPRoute', 'a')).toMatchObject({
    metadata: { labels: { l: 'v' } },
    spec: {
      parentRefs: [{ name: 'gw', sectionName: 'side' }],
      hostnames: ['h.test'],
      rules: [
        {
          name: 'one',
          matches: [
            {
              path: { type: 'Exact', value: '/x' },
              method: 'GET',
              headers: [
                { name: 'x-a', value: '1' },
                { name: 'x-b', type: 'RegularExpression', value: '^b' },
              ],
              queryParams: [{ name: 'q', value: 'v' }],
            },
          ],
          timeouts: { request: '1s' },
          backendRefs: [
            { ...backend, name: 'up', weight: 2 },
            { kind: 'Service', name: 'up', port: 80 },
          ],
        },
        {
          matches: [{ path: { type: 'RegularExpression', value: '/y.*' } }],
          filters: [{ requestMirror: { backendRef: { ...backend, name: 'up' } } }],
          backendRefs: [{ ...backend, name: 'other', namespace: 'n' }],
        },
      ],
    },
  });
  expect(find(resources, 'HTTPRoute', 'b')?.['spec']).toMatchObject({
    parentRefs: [{ kind: 'ListenerSet', name: 'ls' }],
    rules: [{ backendRefs: [{ kind: 'Service', name: 'web', port: 8001 }] }],
  });
  expect(find(resources, 'EndpointSlice', 'up-1')).toMatchObject({
    metadata: { labels: { 'kubernetes.io/service-name': 'up' } },
    endpoints: [{ addresses: ['127.0.0.1'] }],
    ports: [{ port: 81 }],
  });
  expect(resources.filter(({ kind }) => kind === 'ProxyBackend')).toHaveLength(1);
});

test('on the shared port a listener always has a host of the case', () => {
  const given = caseOf(goodFile([TO_UP, 'topology: { listeners: [{ name: http, hostname: null }], to: up }']));
  expect(given.topology.listeners).toEqual([{ name: 'http', port: 'shared', hostname: given.host }]);
});

test('configuration that a step brings is rendered alike', () => {
  const given = caseOf(goodFile());
  const config = [
    { kind: 'ProxyPolicy', metadata: { name: 'late' }, spec: { targetRefs: [{ at: 'rule' }], a: '${peers.up.port}' } },
  ];
  expect(renderConfig(given, config, { scope: { peers }, listenerPort: () => 3000 })).toEqual([
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyPolicy',
      metadata: { namespace: given.namespace, name: 'late' },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'r', sectionName: 'rule' }],
        a: 81,
      },
    },
  ]);
});

describe('kinds that a case attaches', () => {
  const MODEL = `    config:
      - { kind: ProxyModel, metadata: { name: m }, spec: { parentRefs: [{ name: gw }] } }
      - kind: Gateway
        metadata: { name: other }
        spec:
          gatewayClassName: proxy
          listeners:
            - { name: open, port: 80, protocol: HTTP, allowedRoutes: { namespaces: { from: All } } }
            - { name: closed, port: 81, protocol: HTTP, allowedRoutes: { kinds: [{ kind: HTTPRoute }] } }
`;
  const kinds = [
    { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' },
    { group: 'proxy.example', kind: 'ProxyModel' },
  ];

  test('are named by every listener that names none', () => {
    const resources = render(caseOf(goodFile(['    config:\n', MODEL])));
    expect(find(resources, 'Gateway', 'gw')).toMatchObject({ spec: { listeners: [{ allowedRoutes: { kinds } }] } });
    expect(find(resources, 'Gateway', 'other')).toMatchObject({
      spec: {
        listeners: [
          { name: 'open', allowedRoutes: { namespaces: { from: 'All' }, kinds } },
          { name: 'closed', allowedRoutes: { kinds: [{ kind: 'HTTPRoute' }] } },
        ],
      },
    });
  });

  test('count when a later step applies them', () => {
    const later = `    steps:
      - id: add
        apply: { add: [{ kind: ProxyModel, metadata: { name: m }, spec: { parentRefs: [{ name: gw }] } }] }
`;
    const resources = render(caseOf(goodFile(['    steps:\n', later])));
    expect(find(resources, 'Gateway', 'gw')).toMatchObject({ spec: { listeners: [{ allowedRoutes: { kinds } }] } });
  });
});
