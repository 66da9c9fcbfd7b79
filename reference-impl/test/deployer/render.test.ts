import { expect, test } from 'vitest';
import {
  admitted,
  at,
  gateway,
  gatewayClass,
  listenerSet,
  manifest,
  manifestsOf,
  parameters,
  rendered,
} from './resources.ts';

const own = (spec: object): readonly Parameters<typeof manifestsOf>[0][number][] => [
  gateway(),
  parameters('own', spec),
];

function withAddresses(...addresses: readonly object[]): Parameters<typeof rendered>[0] {
  return [gateway({ addresses }), parameters('own', {})];
}

function bytesOf(byte: number): (count: number) => Uint8Array {
  return (count) => new Uint8Array(count).fill(byte);
}

function portsOf(outcome: ReturnType<typeof rendered>): unknown {
  return at(manifest(outcome.ok ? outcome.manifests : [], 'Service'), 'spec.ports');
}

function problemsOf(...resources: Parameters<typeof rendered>[0]): readonly string[] {
  const outcome = rendered(resources);
  return outcome.ok ? [] : outcome.problems;
}

test('manifests come in the order in which they are to be created', () => {
  const kinds = manifestsOf(own({ podDisruptionBudget: {}, horizontalPodAutoscaler: {} })).map(({ kind }) => kind);
  expect(kinds).toEqual([
    'ServiceAccount',
    'ConfigMap',
    'Service',
    'Deployment',
    'PodDisruptionBudget',
    'HorizontalPodAutoscaler',
    'Secret',
  ]);
});

test('every object belongs to the Gateway', () => {
  for (const { metadata } of manifestsOf(own({}))) {
    expect(metadata).toMatchObject({
      namespace: 'ns',
      ownerReferences: [{ kind: 'Gateway', name: 'gw', uid: 'u-1', controller: true }],
    });
  }
});

test('a long name is cut to a label and stays unique', () => {
  const names = ['x', 'y'].map((last) => `${'a'.repeat(80)}${last}`);
  const [first, second] = names.map((name) => {
    const { metadata } = manifest(manifestsOf([gateway({}, name), parameters('own', {})]), 'Deployment');
    expect(metadata.labels['gateway.networking.k8s.io/gateway-name']).toBe(metadata.name);
    return metadata.name;
  });
  expect(first).toHaveLength(63);
  expect(first).not.toBe(second);
});

test('the Service has each port once, and reserved ones not at all', () => {
  const listeners = [80, 80, 15_021, 443].map((port, index) => ({
    name: `l${index}`,
    port,
    protocol: 'HTTP',
    hostname: `${index}.example`,
  }));
  const outcome = rendered([gateway({ listeners }), parameters('own', {})]);
  expect(outcome).toMatchObject({ ok: true, notes: ['listener l2: port is reserved: 15021'] });
  const service = manifest(outcome.ok ? outcome.manifests : [], 'Service');
  expect(at(service, 'spec.ports')).toMatchObject([{ port: 80, name: 'listener-80' }, { port: 443 }]);
});

test('the Service has the ports of ListenerSets that the Gateway lets add listeners', () => {
  const allowed = gateway({ allowedListeners: { namespaces: { from: 'Same' } } });
  const sets = [
    listenerSet('mine', 'ns', { name: 'gw' }, 9000),
    listenerSet('same-port', 'ns', { name: 'gw' }, 8080),
    listenerSet('reserved', 'ns', { name: 'gw' }, 15_020),
    listenerSet('elsewhere', 'other', { name: 'gw', namespace: 'ns' }, 9001),
    listenerSet('of-another', 'ns', { name: 'gw2' }, 9002),
  ];
  const outcome = rendered([allowed, ...sets, parameters('own', {})]);
  expect(portsOf(outcome)).toMatchObject([{ port: 8080 }, { port: 9000, targetPort: 9000, name: 'listener-9000' }]);
  expect(outcome).toMatchObject({ notes: ['listener l: port is reserved: 15020'] });
  expect(portsOf(rendered([gateway(), ...sets, parameters('own', {})]))).toMatchObject([{ port: 8080 }]);
});

test('a Gateway without listeners has a workload, and with those of a ListenerSet a Service', () => {
  const none = gateway({ listeners: [], allowedListeners: { namespaces: { from: 'All' } } });
  const set = listenerSet('set', 'other', { name: 'gw', namespace: 'ns' }, 9000);
  const outcome = rendered([none, parameters('own', {})]);
  expect(outcome).toMatchObject({ ok: true, notes: [expect.stringContaining('there is no Service')] });
  expect(outcome.ok && outcome.manifests.map(({ kind }) => kind)).toEqual([
    'ServiceAccount',
    'ConfigMap',
    'Deployment',
    'Secret',
  ]);
  expect(portsOf(rendered([none, set, parameters('own', {})]))).toMatchObject([{ port: 9000 }]);
  expect(problemsOf(none, set, parameters('own', {}))).toEqual([]);
});

test('annotations of the infrastructure settings reach the pods, and take the place of none that are needed', () => {
  const annotations = { note: 'kept', 'checksum/config': 'theirs' };
  const spec = { infrastructure: { annotations, labels: { team: 'blue' } } };
  const deployment = manifest(manifestsOf([gateway(spec)]), 'Deployment');
  expect(at(deployment, 'spec.template.metadata')).toMatchObject({
    labels: { team: 'blue' },
    annotations: { note: 'kept' },
  });
  expect(JSON.stringify(at(deployment, 'spec.template.metadata'))).not.toContain('theirs');
});

test('a Gateway without a port that can be served has no workload', () => {
  const listeners = [{ name: 'l', port: 15_000, protocol: 'HTTP' }];
  expect(problemsOf(gateway({ listeners }), parameters('own', {}))).toEqual([
    'no listener has a port that can be served',
  ]);
});

test('the Service takes the one address of the Gateway', () => {
  const service = manifest(manifestsOf(withAddresses({ value: '10.0.0.1' })), 'Service');
  expect(at(service, 'spec.loadBalancerIP')).toBe('10.0.0.1');
  expect(problemsOf(...withAddresses({ value: '10.0.0.1' }, { value: '10.0.0.2' }))).toEqual([
    'multiple addresses given, only one address is supported',
  ]);
  expect(problemsOf(...withAddresses({ type: 'Hostname', value: 'a.example' }))).toHaveLength(1);
});

test('the session key is drawn once and kept', () => {
  const randomBytes = bytesOf(0xab);
  const drawn = manifest(manifestsOf(own({}), { randomBytes }), 'Secret');
  expect(decoded(at(drawn, 'data.key'))).toBe('ab'.repeat(32));
  const existing = admitted({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'gw-session-key', namespace: 'ns' },
    data: { key: Buffer.from('kept').toString('base64') },
  });
  const again = manifestsOf([...own({}), existing], { randomBytes });
  expect(decoded(at(manifest(again, 'Secret'), 'data.key'))).toBe('kept');
});

test('whoever brings a session key gets no Secret', () => {
  const kinds = manifestsOf(own({ env: [{ name: 'SESSION_KEY', value: 'x' }] })).map(({ kind }) => kind);
  expect(kinds).not.toContain('Secret');
});

test('pods start again when their configuration or session key changes, and an overlay cannot hide it', () => {
  const annotations = { 'checksum/session-key': 'mine' };
  const checksums = (spec: object, byte: number): unknown[] => {
    const overlay = { deployment: { spec: { template: { metadata: { annotations } } } } };
    const deployment = manifest(
      manifestsOf(own({ ...spec, ...overlay }), { randomBytes: bytesOf(byte) }),
      'Deployment',
    );
    const found = at(deployment, 'spec.template.metadata.annotations');
    return ['checksum/config', 'checksum/session-key'].map((name): unknown => Reflect.get(Object(found), name));
  };
  const [config, key] = checksums({}, 1);
  expect(checksums({}, 1)).toEqual([config, key]);
  expect(key).not.toBe('mine');
  expect(checksums({ logging: { format: 'json' } }, 1)).toEqual([expect.not.stringMatching(String(config)), key]);
  expect(checksums({}, 2)).toEqual([config, expect.not.stringMatching(String(key))]);
});

test('an overlay that replaces the whole workload spec is followed', () => {
  const deployment = { spec: { $patch: 'replace', replicas: 1 } };
  expect(at(manifest(manifestsOf(own({ deployment })), 'Deployment'), 'spec')).toEqual({ replicas: 1 });
});

test('an overlay cannot change what an object is', () => {
  const serviceAccount = { spec: { kind: 'Secret', metadata: { name: 'x' }, imagePullSecrets: [{ name: 's' }] } };
  const account = manifest(manifestsOf(own({ serviceAccount })), 'ServiceAccount');
  expect(account).toMatchObject({ metadata: { name: 'gw', namespace: 'ns' }, imagePullSecrets: [{ name: 's' }] });
});

test('problems name the layer and the place', () => {
  const resources = [
    gateway(),
    gatewayClass(),
    parameters('shared', { workload: { kind: 'DaemonSet' } }),
    parameters('own', { deployment: {}, service: { spec: { ports: [{ name: 'x' }] } } }),
  ];
  expect(problemsOf(...resources)).toEqual([
    'referenced Gateway ProxyParameters ns/own has incompatible deployment overlay for final workload kind DaemonSet',
    'referenced Gateway ProxyParameters ns/own: service.spec.ports: an item of this list needs port, by which it merges',
  ]);
});

test('parameters that are referred to have to be there, and to be parameters', () => {
  expect(problemsOf(gateway(), gatewayClass())).toEqual([
    'GatewayClass proxy: there is no ProxyParameters system/shared',
    'Gateway ns/gw: there is no ProxyParameters ns/own',
  ]);
  const parametersRef = { group: '', kind: 'ConfigMap', name: 'own' };
  expect(problemsOf(gateway({ infrastructure: { parametersRef } }))).toEqual([
    'Gateway ns/gw: parametersRef is to a ProxyParameters of proxy.example, not ConfigMap',
  ]);
});

test('with several Gateways one has to be named', () => {
  expect(problemsOf(gateway({}, 'a'), gateway({}, 'b'))).toEqual([
    'there are several Gateways, say which: there is ns/a, ns/b',
  ]);
  expect(problemsOf()).toEqual(['there is no Gateway to render']);
});

test('catalogs of one ConfigMap share a volume', () => {
  const sources = ['a.json', 'b.json', 'a.json'].map((key) => ({ configMap: { name: 'cat', key } }));
  const catalog = admitted({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cat', namespace: 'ns' },
    data: { 'a.json': '{}', 'b.json': '{}' },
  });
  const manifests = manifestsOf([...own({ modelCatalog: { sources } }), catalog]);
  expect(at(manifest(manifests, 'Deployment'), 'spec.template.spec.volumes')).toContainEqual({
    name: 'model-catalog-cat',
    configMap: {
      name: 'cat',
      items: [
        { key: 'a.json', path: 'a.json' },
        { key: 'b.json', path: 'b.json' },
      ],
    },
  });
  expect(
    problemsOf(...own({ modelCatalog: { sources: [{ configMap: { name: 'cat', key: 'c' } }] } }), catalog),
  ).toEqual(['modelCatalog: ConfigMap ns/cat has no key c']);
});

function decoded(value: unknown): string {
  return Buffer.from(String(value), 'base64').toString('utf8');
}
