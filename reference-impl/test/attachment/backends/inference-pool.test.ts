import { expect, test } from 'vitest';
import { buildView } from '../../../attachment/view.ts';
import { linkResources } from '../../../attachment/links.ts';
import { modelBackend } from '../../../attachment/models/model-backend.ts';
import { poolMembers } from '../../../attachment/backends/pool-members.ts';
import type { Resource } from '../../../resources/kinds.ts';
import { gateway, policy, request, resource, route, snapshotWith } from '../support/resources.ts';

const READY = [{ type: 'Ready', status: 'True' }];
const POOL = { group: 'inference.networking.k8s.io', kind: 'InferencePool' };
const at = (podIP: string) => ({ podIP, conditions: READY });
const tcp = (host: string, port: number) => ({ kind: 'tcp', host, port });
const pool = (name: string, matchLabels: Record<string, string>, ...ports: readonly number[]) =>
  resource('InferencePool', name, {
    spec: { selector: { matchLabels }, targetPorts: ports.map((number) => ({ number })), more: 'kept' },
  });
const pod = (name: string, status: object | undefined, meta: object = {}) =>
  resource('Pod', name, { ...(status && { status }) }, { labels: { app: 'a' }, ...meta });
const first = (resources: readonly Resource[], ref: object) =>
  buildView(snapshotWith(gateway('gw'), route('r', { rules: [{ backendRefs: [ref] }] }), ...resources))
    .binds.get(3000)
    ?.listeners[0]?.selectRoute(request('a.test', '/'))?.backends[0]?.backend;

test.each([
  ['ready', at('10.0.0.1'), {}, ['10.0.0.1']],
  [
    'ready among others',
    { podIP: '10.0.0.1', conditions: [{ type: 'X', status: 'False' }, ...READY] },
    {},
    ['10.0.0.1'],
  ],
  [
    'with the first of its addresses',
    { podIPs: [{ ip: 'fd00::1' }, { ip: '10.0.0.1' }], conditions: READY },
    {},
    ['fd00::1'],
  ],
  ['without an address', { podIP: '', podIPs: [], conditions: READY }, {}, []],
  ['not ready', { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'False' }] }, {}, []],
  ['without conditions', { podIP: '10.0.0.1' }, {}, []],
  ['without a status', undefined, {}, []],
  ['about to end', at('10.0.0.1'), { deletionTimestamp: '2026-01-01T00:00:00Z' }, []],
  ['not deleted, said by null', at('10.0.0.1'), { deletionTimestamp: null }, ['10.0.0.1']],
  ['of other labels', at('10.0.0.1'), { labels: { app: 'b' } }, []],
])('a Pod %s', (_, status, meta, hosts) => {
  expect(poolMembers(pool('p', { app: 'a' }, 80), [pod('one', status, meta)])).toEqual(
    hosts.map((host) => tcp(host, 80)),
  );
});

test('every port of every Pod is an endpoint; a pool that selects by nothing has none', () => {
  const pods = ['10.0.0.1', '10.0.0.2'].map((podIP, index) => pod(`p${index}`, at(podIP)));
  expect(poolMembers(pool('p', { app: 'a' }, 80, 81), pods)).toEqual([
    tcp('10.0.0.1', 80),
    tcp('10.0.0.1', 81),
    tcp('10.0.0.2', 80),
    tcp('10.0.0.2', 81),
  ]);
  expect(poolMembers(pool('p', {}, 80), pods)).toEqual([]);
});

test.each([
  [{ ...POOL, name: 'none' }, 'backendNotFound'],
  [{ ...POOL, name: 'far', namespace: 'x' }, 'backendInvalid'],
  [{ ...POOL, group: 'inference.networking.x-k8s.io', name: 'p' }, 'backendInvalid'],
])('backendRef %j leads nowhere: %s', (ref, unresolved) => {
  expect(first([pool('p', { app: 'a' }, 80), pool('x/far', { app: 'a' }, 80)], ref)).toMatchObject({ unresolved });
});

test('a route finds the pool, whatever port it names, and the Pods of the namespace of the pool', () => {
  const grant = resource('ReferenceGrant', 'x/g', {
    spec: { from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'ns' }], to: [POOL] },
  });
  const pods = [pod('near', at('10.0.0.1')), pod('x/far', at('10.0.0.2'))];
  const pools = [pool('p', { app: 'a' }, 80), pool('x/p', { app: 'a' }, 81)];
  expect(first([...pools, ...pods], { ...POOL, name: 'p', port: 9 })).toMatchObject({
    key: 'InferencePool/ns/p',
    protocol: 'http',
    endpoints: [tcp('10.0.0.1', 80)],
  });
  expect(first([...pools, ...pods, grant], { ...POOL, name: 'p', namespace: 'x' })).toMatchObject({
    endpoints: [tcp('10.0.0.2', 81)],
  });
});

test.each([[{ kind: 'InferencePool', name: 'p' }], [{ ...POOL, name: 'p' }]])(
  'a provider and a model find the pool by %j',
  (backendRef) => {
    const custom = { backendRef, formats: [{ type: 'Completions' }] };
    const provider = resource('ProxyBackend', 'b', { spec: { ai: { provider: { custom } } } });
    const model = resource('ProxyModel', 'm', {
      spec: { parentRefs: [{ name: 'gw' }], provider: 'Custom', custom },
    });
    const resources = [pool('p', { app: 'a' }, 80), pod('one', at('10.0.0.1')), provider, model];
    const expected = { protocol: 'ai', endpoints: [tcp('10.0.0.1', 80)] };
    expect(first(resources, { group: 'proxy.example', kind: 'ProxyBackend', name: 'b' })).toMatchObject(expected);
    expect(modelBackend(model, undefined, [], linkResources(snapshotWith(...resources)))).toMatchObject(expected);
  },
);

const policyStatus = (...more: readonly Resource[]): unknown =>
  buildView(snapshotWith(gateway('gw'), route('r', { rules: [{ backendRefs: [{ ...POOL, name: 'p' }] }] }), ...more))
    .status()
    .find(({ kind }) => kind === 'ProxyPolicy')?.status;

test('a policy on a pool belongs to the Gateways whose routes lead there', () => {
  const attached = policy('a', 'InferencePool/p', { backend: { tcp: { connectTimeout: '1s' } } });
  expect(policyStatus(pool('p', {}, 80), attached)).toMatchObject({
    ancestors: [{ ancestorRef: { kind: 'Gateway', name: 'gw' } }],
  });
  const why = 'Policy is not attached: InferencePool ns/p not found';
  expect(policyStatus(attached)).toMatchObject({
    ancestors: [{ conditions: [{}, { type: 'Attached', message: why }] }],
  });
});
