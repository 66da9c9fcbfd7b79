import { describe, expect, test } from 'vitest';
import { buildView } from '../../../attachment/view.ts';
import type { Resource } from '../../../resources/kinds.ts';
import { backend, gateway, policy, resource, route, snapshotWith } from '../support/resources.ts';

const base = [gateway('gw'), route('r'), backend('b')];
const timeouts = { traffic: { timeouts: { request: '1s' } } };
const statusOf = (name: string, ...resources: readonly Resource[]): unknown =>
  buildView(snapshotWith(...resources))
    .status()
    .find((each) => each.name === name)?.status;
const condition = (type: string, status: string, reason: string) =>
  expect.objectContaining({ type, status, reason }) as unknown;
const gatewayAncestor = { ancestorRef: { kind: 'Gateway', name: 'gw' } };

test.each(['Gateway/gw', 'Gateway/gw#http', 'HTTPRoute/r', 'HTTPRoute/r#rule'])(
  'a policy on %s is attached to the Gateway',
  (target) => {
    expect(statusOf('p', ...base, policy('p', target, timeouts))).toMatchObject({
      ancestors: [
        {
          ...gatewayAncestor,
          controllerName: 'proxy.example/controller',
          conditions: [condition('Accepted', 'True', 'Valid'), condition('Attached', 'True', 'Attached')],
        },
      ],
    });
  },
);

test('a policy on a backend belongs to the Gateways whose routes lead there', () => {
  const p = policy('p', 'ProxyBackend/b', { backend: { tcp: { connectTimeout: '1s' } } });
  expect(statusOf('p', ...base, p)).toMatchObject({ ancestors: [gatewayAncestor] });
});

test.each([
  ['Gateway/none', 'Policy is not attached: Gateway ns/none not found'],
  ['Gateway/gw#none', 'Policy is not attached: sectionName "none" not found in Gateway ns/gw'],
  ['HTTPRoute/r#none', 'Policy is not attached: sectionName "none" not found in HTTPRoute ns/r'],
  ['HTTPRoute/lost', 'Policy is not attached: HTTPRoute ns/lost is not attached to any Gateway'],
])('a policy on %s is pending', (target, message) => {
  const lost = route('lost', { parentRefs: [{ name: 'nowhere' }] });
  expect(statusOf('p', ...base, lost, policy('p', target, timeouts))).toMatchObject({
    ancestors: [
      {
        ancestorRef: { name: 'StatusSummary' },
        conditions: [{}, { type: 'Attached', status: 'False', reason: 'Pending', message }],
      },
    ],
  });
});

test('a selector that finds nothing is pending', () => {
  const selector = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', matchLabels: { a: '1' } };
  const p = resource('ProxyPolicy', 'p', { spec: { targetSelectors: [selector], ...timeouts } });
  expect(statusOf('p', ...base, p)).toMatchObject({
    ancestors: [
      { conditions: [{}, { message: 'Policy is not attached: no HTTPRoute matching selector found in namespace ns' }] },
    ],
  });
});

test('an expression that does not compile makes the policy partially valid, and names the field', () => {
  const authorization = { policy: { matchExpressions: ['true', 'request.'] } };
  const p = policy('p', 'Gateway/gw', { traffic: { authorization, delay: { duration: '2s' } } });
  expect(statusOf('p', ...base, p)).toMatchObject({
    ancestors: [
      {
        conditions: [
          {
            reason: 'PartiallyValid',
            message: expect.stringMatching(
              /^traffic\.authorization\.policy\.matchExpressions\[1\] is not a valid CEL expression: [^;]+$/,
            ) as unknown,
          },
          {},
        ],
      },
    ],
  });
});

test('ADMIT-141: a reserved claim is reported for a policy and for a backend', () => {
  const auth = { jwtSign: { signingKeyRef: { name: 'k' }, claims: { iat: 1 } } };
  const message = 'auth.jwtSign.claims: iat, exp, nbf are set by the proxy and cannot be given';
  const p = policy('p', 'ProxyBackend/b', { backend: { auth } });
  expect(statusOf('p', ...base, p)).toMatchObject({
    ancestors: [{ conditions: [{ reason: 'PartiallyValid', message: `backend.${message}` }, {}] }],
  });
  const own = resource('ProxyBackend', 'own', { spec: { static: { host: 'h', port: 1 }, policies: { auth } } });
  expect(statusOf('own', ...base, own)).toMatchObject({
    conditions: [
      {
        status: 'False',
        reason: 'TranslationError',
        message: `failed to translate backend: spec.policies.${message}`,
      },
    ],
  });
});

test('a list of ancestors that is too long ends with a summary', () => {
  const gateways = Array.from({ length: 20 }, (_, index) => gateway(`gw${index}`, [{ hostname: `h${index}.test` }]));
  const targetRefs = gateways
    .slice(0, 16)
    .map(({ metadata: { name } }) => ({ group: 'gateway.networking.k8s.io', kind: 'Gateway', name }));
  const many = route('many', { parentRefs: gateways.map(({ metadata: { name } }) => ({ name })) });
  const exact = resource('ProxyPolicy', 'p', { spec: { targetRefs, ...timeouts } });
  expect(statusOf('p', ...gateways, exact)).toHaveProperty('ancestors.length', 16);
  expect(statusOf('p', ...gateways, many, policy('p', 'HTTPRoute/many', timeouts))).toMatchObject({
    ancestors: [
      ...Array.from({ length: 15 }, () => ({})),
      { conditions: [{ type: 'StatusSummarized', message: '5 ancestors are left out' }] },
    ],
  });
});

test.each([
  [{}, condition('Accepted', 'True', 'Accepted')],
  [{ parentRefs: [{ name: 'none' }] }, condition('Accepted', 'False', 'NoMatchingParent')],
  [{ hostnames: ['other.test'] }, condition('Accepted', 'False', 'NoMatchingListenerHostname')],
])('a route with %j is %j', (spec, accepted) => {
  const resources = [gateway('gw', [{ hostname: 'a.test' }]), backend('b'), route('r', spec)];
  expect(statusOf('r', ...resources)).toMatchObject({
    parents: [{ conditions: [accepted, condition('ResolvedRefs', 'True', 'ResolvedRefs')] }],
  });
});

test('a route that names a missing backend says so', () => {
  expect(statusOf('r', gateway('gw'), route('r'))).toMatchObject({
    parents: [{ conditions: [{}, { reason: 'BackendNotFound', message: 'unable to find the ProxyBackend ns/b' }] }],
  });
});

describe('a model', () => {
  const provider = { provider: 'Vendor1', parentRefs: [{ name: 'gw' }] };
  const models = [
    model('exact', provider),
    model('wild', { ...provider, match: { model: 'gpt-*' } }),
    model('inner', { parentRefs: [{ name: 'gw' }], virtualModel: { conditional: { targets: [routed('exact')] } } }),
  ];
  const parentsOf = (virtualModel: object, parentRefs: readonly object[] = [{ name: 'gw' }]): unknown =>
    statusOf('v', ...base, ...models, model('v', { parentRefs, virtualModel }));

  test('says of each parent whether it hangs there', () => {
    const parentRefs = [{ name: 'gw' }, { name: 'gw', sectionName: 'none' }, { name: 'lost' }];
    expect(parentsOf({ conditional: { targets: [routed('exact')] } }, parentRefs)).toEqual({
      parents: parentRefs.map((parentRef, index) => ({
        parentRef,
        controllerName: 'proxy.example/controller',
        conditions: [
          index === 0 ? condition('Accepted', 'True', 'Accepted') : condition('Accepted', 'False', 'NoMatchingParent'),
          condition('ResolvedRefs', 'True', 'ResolvedRefs'),
        ],
      })),
    });
  });

  test.each([
    ['an exact name', { failover: { targets: [{ ...routed('exact'), priority: 0 }] } }],
    ['a wildcard and a name to ask for', { failover: { targets: [{ ...routed('wild', 'gpt-x'), priority: 0 }] } }],
  ])('may route to %s', (_, virtualModel) => {
    expect(parentsOf(virtualModel)).toMatchObject({ parents: [{ conditions: [{}, { status: 'True' }] }] });
  });

  test.each([
    ['there is no ProxyModel ns/nowhere', { weighted: { targets: [routed('nowhere')] } }],
    [
      'ProxyModel wild matches gpt-*, so the target must set model',
      { failover: { targets: [{ ...routed('wild'), priority: 0 }] } },
    ],
    [
      'ProxyModel wild matches gpt-*, so the target must set model',
      { conditional: { targets: [{ ...routed('exact'), when: 'true' }, routed('wild')] } },
    ],
    ['ProxyModel inner is virtual itself', { failover: { targets: [{ ...routed('inner'), priority: 0 }] } }],
    ['ProxyModel inner is virtual itself', { weighted: { targets: [routed('inner')] } }],
  ])('does not resolve: %s', (message, virtualModel) => {
    expect(parentsOf(virtualModel)).toMatchObject({
      parents: [{ conditions: [{}, { type: 'ResolvedRefs', status: 'False', reason: 'Invalid', message }] }],
    });
  });

  test('says when the Service behind it is missing', () => {
    const custom = { backendRef: { name: 'nowhere', port: 80 }, formats: [{ type: 'Completions' }] };
    const conditions = (more: object): unknown =>
      statusOf('v', ...base, model('v', { ...provider, provider: 'Custom', custom, ...more }));
    expect(conditions({})).toMatchObject({
      parents: [{ conditions: [{}, { status: 'False', reason: 'BackendNotFound' }] }],
    });
    expect(conditions({ baseURL: 'http://h.example' })).toMatchObject({
      parents: [{ conditions: [{}, { status: 'True' }] }],
    });
  });
});

function model(name: string, spec: object): Resource {
  return resource('ProxyModel', name, { spec });
}

function routed(name: string, asked?: string): object {
  return { modelRef: { name }, ...(asked === undefined ? {} : { model: asked }) };
}

const parameters = (...names: readonly string[]): Resource =>
  resource('ProxyParameters', 'p', {
    spec: { modelCatalog: { sources: names.map((name) => ({ configMap: { name } })) } },
  });

test('a Gateway says which sources of its model catalog cannot be read, and why', () => {
  const infrastructure = { parametersRef: { group: 'proxy.example', kind: 'ProxyParameters', name: 'p' } };
  const priced = gateway('gw', [{}], { infrastructure });
  const good = resource('ConfigMap', 'good', { data: { 'catalog.json': '{"providers":{}}' } });
  const bad = resource('ConfigMap', 'bad', { data: { 'catalog.json': '[' } });
  expect(statusOf('gw', priced, parameters('good'), good)).toMatchObject({
    conditions: [{}, {}, condition('ModelCatalogResolved', 'True', 'Resolved')],
  });
  expect(statusOf('gw', priced, parameters('good', 'bad', 'lost'), good, bad)).toMatchObject({
    conditions: [
      condition('Accepted', 'True', 'Accepted'),
      {},
      {
        type: 'ModelCatalogResolved',
        status: 'False',
        message:
          'ConfigMap ns/bad, key catalog.json: not JSON; ConfigMap ns/lost, key catalog.json: there is no such ConfigMap',
      },
    ],
  });
  expect(statusOf('gw', gateway('gw'))).toMatchObject({ conditions: [{}, {}] });
});
