import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canonical } from '../../sut/dialect.ts';
import { createKubernetesClient, type KubernetesClient } from '../../sut/kubernetes/client.ts';
import { kubernetesDelivery, refusals } from '../../sut/kubernetes/kubernetes-delivery.ts';
import { kubernetesOperation } from '../../sut/kubernetes/kubernetes-operations.ts';
import { inNamespaces, prefixedNamespaces } from '../../sut/kubernetes/namespaces.ts';

interface Call {
  readonly method: string;
  readonly url: string;
  readonly type: string | undefined;
  readonly body: unknown;
}

let server: Server;
let client: KubernetesClient;
let calls: Call[] = [];
let answers: Map<string, { readonly status: number; readonly body: unknown }>;

const DISCOVERY = {
  resources: [
    { name: 'proxypolicies', kind: 'ProxyPolicy', namespaced: true },
    { name: 'proxypolicies/status', kind: 'ProxyPolicy', namespaced: true },
  ],
};
const CORE = {
  resources: [
    { name: 'namespaces', kind: 'Namespace', namespaced: false },
    { name: 'namespaces/status', kind: 'Namespace', namespaced: false },
    { name: 'secrets', kind: 'Secret', namespaced: true },
    { name: 'pods', kind: 'Pod', namespaced: true },
    { name: 'pods/status', kind: 'Pod', namespaced: true },
  ],
};
const ROUTING = {
  resources: ['Gateway', 'HTTPRoute', 'ReferenceGrant'].map((kind) => ({
    name: `${kind.toLowerCase()}s`,
    kind,
    namespaced: true,
  })),
};
const TAKEN = { kind: 'Status', reason: 'AlreadyExists', message: 'namespaces "conf-shared" already exists' };
const NO_QUOTA = {
  message: 'pods "p" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
};
const names = { ...prefixedNamespaces('conf-'), gatewayClass: 'theirs' };

beforeEach(async () => {
  calls = [];
  answers = new Map([
    ['GET /apis/proxy.example/v1alpha1', { status: 200, body: DISCOVERY }],
    ['GET /api/v1', { status: 200, body: CORE }],
  ]);
  server = createServer((request, response) => {
    void serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  client = createKubernetesClient(
    { url: new URL(`http://127.0.0.1:${port}`), headers: () => ({}), tls: {} },
    [1, 1, 50],
  );
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await read(request);
  const [path = ''] = (request.url ?? '').split('?');
  calls.push({ method: request.method ?? '', url: request.url ?? '', type: request.headers['content-type'], body });
  const answer = answers.get(`${request.method} ${path}`) ??
    answers.get(`${request.method} ${path.split('/').at(-1) ?? ''}`) ?? { status: 200, body: {} };
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
}

async function read(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}

function policy(name: string, namespace = 'c-1'): Readonly<Record<string, unknown>> {
  return { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyPolicy', metadata: { name, namespace }, spec: {} };
}

function delivery(
  resources: readonly Readonly<Record<string, unknown>>[] | undefined,
): Parameters<ReturnType<typeof kubernetesDelivery>['deliver']>[0] {
  const files = new Map(resources === undefined ? [] : [['c-1', resources] as const]);
  return { revision: 1, files, changed: ['c-1'] };
}

const writes = (): readonly string[] =>
  calls.flatMap(({ method, url }) => (method === 'GET' ? [] : [`${method} ${url.split('?')[0] ?? ''}`]));

const appliedTo = (space: string): readonly unknown[] =>
  calls.flatMap(({ url, body }) => (url.startsWith(`/api/v1/namespaces/${space}?`) ? [body] : []));

const BLUE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'far', labels: { team: 'blue' } } };

const changedObjects = (): readonly string[] => writes().flatMap((write) => /\w+\/\w$/.exec(write)?.[0] ?? []);

describe('delivery to a cluster', () => {
  it('applies into a namespace with the prefix, and names the collection as the server does', async () => {
    const { deliver } = kubernetesDelivery(client, canonical, names);
    expect(await deliver(delivery([policy('a')]))).toEqual({ kind: 'delivered' });
    expect(writes()).toEqual([
      'PATCH /api/v1/namespaces/conf-c-1',
      'PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a',
    ]);
    const last = calls.at(-1);
    expect(last?.type).toBe('application/apply-patch+yaml');
    expect(last?.url).toContain('force=true');
    expect(last?.body).toMatchObject({ metadata: { namespace: 'conf-c-1' } });
  });

  it('deletes what is no longer there, and namespaces at the end', async () => {
    const { deliver, clean } = kubernetesDelivery(client, canonical, names);
    await deliver(delivery([policy('a'), policy('b')]));
    calls = [];
    await deliver(delivery([policy('b')]));
    expect(writes()).toContain('DELETE /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a');
    calls = [];
    await deliver(delivery(undefined));
    // A namespace that is on its way out takes nothing any more, and the case may come again.
    expect(writes()).toEqual(['DELETE /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/b']);
    await deliver(delivery([policy('b')]));
    calls = [];
    await clean();
    expect(writes()).toEqual([
      'DELETE /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/b',
      'DELETE /api/v1/namespaces/conf-c-1',
    ]);
  });

  it('applies a namespace as the case writes it, and again only when that changes or something went wrong', async () => {
    const { deliver } = kubernetesDelivery(client, canonical, names);
    await deliver(delivery([policy('a', 'far'), BLUE]));
    await deliver(delivery([policy('b', 'far'), BLUE]));
    expect(appliedTo('conf-far')).toMatchObject([{ metadata: { name: 'conf-far', labels: { team: 'blue' } } }]);
    await deliver(delivery([policy('b', 'far')]));
    expect(appliedTo('conf-far')).toHaveLength(2);
    answers.set('PATCH /apis/proxy.example/v1alpha1/namespaces/conf-far/proxypolicies/c', { status: 404, body: {} });
    await deliver(delivery([policy('c', 'far')]));
    await deliver(delivery([policy('b', 'far')]));
    expect(appliedTo('conf-far')).toHaveLength(3);
  });

  it('applies what routes lead to before Gateways and these before routes, and removes them the other way round', async () => {
    const { deliver } = kubernetesDelivery(client, canonical, names);
    answers.set('GET /apis/gateway.networking.k8s.io/v1', { status: 200, body: ROUTING });
    const ofGatewayApi = (kind: string): Readonly<Record<string, unknown>> => ({
      ...policy('x'),
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind,
    });
    const [route, gateway, grant] = ['HTTPRoute', 'Gateway', 'ReferenceGrant'].map(ofGatewayApi);
    const written = [route, policy('b'), gateway, policy('a'), grant].filter((one) => one !== undefined);
    await deliver(delivery(written));
    const order = ['proxypolicies/b', 'proxypolicies/a', 'referencegrants/x', 'gateways/x', 'httproutes/x'];
    expect(changedObjects()).toEqual(order);
    calls = [];
    await deliver(delivery(undefined));
    expect(changedObjects()).toEqual(order.toReversed());
  });

  it('applies texts of a Secret as data, since a server takes nothing out of that when a text is gone', async () => {
    const { deliver } = kubernetesDelivery(client, canonical, names);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'c-1' } };
    await deliver(delivery([{ ...secret, data: { kept: 'eA==' }, stringData: { ada: 'blue' } }]));
    expect(calls.at(-1)?.body).toMatchObject({ data: { kept: 'eA==', ada: 'Ymx1ZQ==' } });
    expect(calls.at(-1)?.body).not.toHaveProperty('stringData');
    await deliver(delivery([{ ...secret, stringData: { ada: 7 } }]));
    expect(calls.at(-1)?.body).toMatchObject({ stringData: { ada: 7 } });
  });

  it('tells every cause of a refusal, in the names of the suite', async () => {
    const causes = [
      { field: 'spec.targetRefs', message: 'required' },
      { field: 'spec.traffic', message: 'wrong' },
    ];
    answers.set('PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a', {
      status: 422,
      body: { message: 'invalid', details: { causes } },
    });
    const outcome = await kubernetesDelivery(client, canonical, names).deliver(delivery([policy('a')]));
    expect(outcome).toEqual({
      kind: 'rejected',
      violations: [
        { resource: 'ProxyPolicy c-1/a', namespace: 'c-1', path: 'spec.targetRefs', message: 'required' },
        { resource: 'ProxyPolicy c-1/a', namespace: 'c-1', path: 'spec.traffic', message: 'wrong' },
      ],
    });
  });

  it('is a failure, and no refusal, when the server itself is at fault', async () => {
    answers.set('PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a', { status: 500, body: {} });
    const outcome = await kubernetesDelivery(client, canonical, names).deliver(delivery([policy('a')]));
    expect(outcome.kind).toBe('failed');
    expect(JSON.stringify(outcome)).toContain('answered 500');
    expect(refusals(policy('a'), { status: 201, body: {} }, names)).toEqual([]);
  });

  it.each([
    [406, 'admission webhook "guard.example.net" denied the request: not like that'],
    [403, 'admission webhook "guard.example.net" denied the request: not like that'],
    [413, 'the object is too large'],
  ])('takes %i of an API server for a refusal: %s', (status, message) => {
    expect(refusals(policy('a'), { status, body: { message } }, names)).toMatchObject([{ message }]);
  });

  it.each([
    [401, 'Unauthorized'],
    [
      403,
      'proxypolicies.proxy.example "a" is forbidden: User "me" cannot patch resource "proxypolicies" in API group "proxy.example"',
    ],
    [403, 'pods "p" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1'],
    [404, 'namespaces "conf-c-1" not found'],
    [
      403,
      'pods "p" is forbidden: error looking up service account conf-c-1/default: serviceaccount "default" not found',
    ],
    [409, 'the object has been modified'],
    [429, 'too many requests'],
  ])('takes %i for what it is, no word on the object: %s', (status, message) => {
    const body = { message, ...(status === 409 ? { reason: 'Conflict' } : {}) };
    expect(() => refusals(policy('a'), { status, body }, names)).toThrow(message);
  });

  it('hands the canary over when everything else was taken, and not at all when something was refused', async () => {
    const { deliver } = kubernetesDelivery(client, canonical, names);
    const both = new Map([
      ['canary', [policy('canary', 'canary')]],
      ['c-1', [policy('a'), policy('b')]],
    ]);
    expect(await deliver({ revision: 1, files: both, changed: ['canary', 'c-1'] })).toEqual({ kind: 'delivered' });
    const applied = writes().filter((write) => write.includes('proxypolicies'));
    expect(applied.map((write) => write.split('/').at(-1))).toEqual(['a', 'b', 'canary']);
    answers.set('PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/b', { status: 422, body: {} });
    calls = [];
    const changed = new Map([...both, ['c-1', [policy('a'), { ...policy('b'), spec: { traffic: {} } }]]]);
    expect(await deliver({ revision: 2, files: changed, changed: ['canary', 'c-1'] })).toMatchObject({
      kind: 'rejected',
    });
    expect(writes().filter((write) => write.includes('conf-canary'))).toEqual([]);
  });

  it('makes a namespace that cases share once, and takes no refusal for its being there', async () => {
    const { deliver } = kubernetesDelivery(client, canonical, names);
    const files = new Map(['c-1', 'c-2'].map((name) => [name, [policy('a', name), policy(name, 'shared')]]));
    answers.set('PATCH /api/v1/namespaces/conf-shared', { status: 409, body: TAKEN });
    const created = { ...policy('a', ''), apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shared' } };
    const answering = deliver({ revision: 1, files, changed: [...files.keys()] });
    answers.set('POST /api/v1/namespaces', { status: 409, body: TAKEN });
    const { op } = kubernetesOperation(client, canonical, names);
    expect(await op('validate', { resource: created })).toMatchObject({ result: { accepted: true, violations: [] } });
    await answering;
    // Once more after the refusal: then it can be applied to.
    expect(writes().filter((write) => write === 'PATCH /api/v1/namespaces/conf-shared')).toHaveLength(2);
  });

  it('waits for a namespace of an earlier session to go, and makes it anew', async () => {
    const leaving = {
      status: 200,
      body: { metadata: { name: 'conf-c-1', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    };
    answers.set('PATCH /api/v1/namespaces/conf-c-1', leaving);
    answers.set('GET /api/v1/namespaces/conf-c-1', leaving);
    const delivered = kubernetesDelivery(client, canonical, names).deliver(delivery([policy('a')]));
    await expect.poll(() => calls.filter(({ method }) => method === 'GET').length).toBeGreaterThan(2);
    expect(writes()).toEqual(['PATCH /api/v1/namespaces/conf-c-1']);
    answers.set('GET /api/v1/namespaces/conf-c-1', { status: 404, body: {} });
    answers.delete('PATCH /api/v1/namespaces/conf-c-1');
    expect(await delivered).toEqual({ kind: 'delivered' });
    expect(writes()).toEqual([
      'PATCH /api/v1/namespaces/conf-c-1',
      'PATCH /api/v1/namespaces/conf-c-1',
      'PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a',
    ]);
  });

  it('waits for an object with a finalizer to go, and makes it anew', async () => {
    const place = '/apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a';
    const leaving = { status: 200, body: { metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' } } };
    answers.set(`PATCH ${place}`, leaving);
    answers.set(`GET ${place}`, leaving);
    const delivered = kubernetesDelivery(client, canonical, names).deliver(delivery([policy('a')]));
    await expect.poll(() => calls.filter(({ url }) => url === place).length).toBeGreaterThan(2);
    answers.set(`GET ${place}`, { status: 404, body: {} });
    answers.delete(`PATCH ${place}`);
    expect(await delivered).toEqual({ kind: 'delivered' });
    expect(writes().filter((write) => write === `PATCH ${place}`)).toHaveLength(2);
  });

  it('is done when what was taken out has gone, with the finalizers of whoever has put some on it', async () => {
    const place = '/apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a';
    const leaving = { status: 200, body: { metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' } } };
    const { deliver } = kubernetesDelivery(client, canonical, names);
    await deliver(delivery([policy('a'), policy('b')]));
    answers.set(`DELETE ${place}`, leaving);
    answers.set(`GET ${place}`, leaving);
    let isDone = false;
    const delivered = deliver(delivery([policy('b')])).finally(() => {
      isDone = true;
    });
    await expect.poll(() => calls.filter(({ method, url }) => method === 'GET' && url === place).length).toBe(3);
    expect(isDone).toBe(false);
    answers.set(`GET ${place}`, { status: 404, body: {} });
    expect(await delivered).toEqual({ kind: 'delivered' });
  });

  it('is a failure when something cannot be taken out, and none when it has gone already', async () => {
    const place = 'DELETE /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a';
    const { deliver } = kubernetesDelivery(client, canonical, names);
    await deliver(delivery([policy('a'), policy('b')]));
    answers.set(place, { status: 403, body: { message: 'you may not' } });
    const message = 'the API server answered 403 for the deletion of ProxyPolicy conf-c-1/a: you may not';
    expect(await deliver(delivery([policy('b')]))).toEqual({ kind: 'failed', message });
    answers.set(place, { status: 404, body: {} });
    expect(await deliver(delivery([policy('b')]))).toEqual({ kind: 'delivered' });
  });

  it('takes out of an object what others have applied as well and a server therefore leaves there', async () => {
    const place = '/apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a';
    const { deliver } = kubernetesDelivery(client, canonical, names);
    await deliver(delivery([{ ...policy('a'), spec: { traffic: { timeouts: {} }, targetRefs: [] } }]));
    answers.set(`PATCH ${place}`, { status: 200, body: { spec: { traffic: { timeouts: {} }, targetRefs: [] } } });
    await deliver(delivery([{ ...policy('a'), spec: { targetRefs: [] } }]));
    expect(calls.at(-1)).toMatchObject({
      method: 'PATCH',
      type: 'application/merge-patch+json',
      body: { spec: { traffic: null } },
    });
    const made = calls.length;
    await deliver(delivery([{ ...policy('a'), spec: { targetRefs: [] } }]));
    expect(calls.length).toBe(made);
  });

  it('does not take for a refusal of an object what is said of it together with what others keep there of the old one', async () => {
    const place = '/apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a';
    const { deliver } = kubernetesDelivery(client, canonical, names);
    const before = { ...policy('a'), spec: { ca: 'x', to: 'a' } };
    const after = { ...policy('a'), spec: { skip: true, to: 'a' } };
    await deliver(delivery([before]));
    answers.set(`PATCH ${place}`, { status: 422, body: { message: 'ca has no meaning beside skip' } });
    answers.set(`GET ${place}`, { status: 200, body: before });
    expect(await deliver(delivery([after]))).toMatchObject({ kind: 'rejected' });
    const [, merged] = calls.filter(({ method, url }) => method === 'PATCH' && url.startsWith(place)).slice(-2);
    expect(merged).toMatchObject({
      type: 'application/merge-patch+json',
      body: { metadata: { name: 'a' }, spec: { skip: true, ca: null } },
    });
  });

  it('writes what has changed, and what it does not know to be there', async () => {
    const place = 'PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/b';
    const { deliver } = kubernetesDelivery(client, canonical, names);
    const other = { ...policy('b'), spec: { traffic: {} } };
    await deliver(delivery([policy('a'), policy('b')]));
    calls = [];
    await deliver(delivery([policy('a'), other]));
    expect(changedObjects()).toEqual(['proxypolicies/b']);
    answers.set(place, { status: 500, body: {} });
    expect(await deliver(delivery([policy('a'), policy('b')]))).toMatchObject({ kind: 'failed' });
    answers.delete(place);
    calls = [];
    // Perhaps it was taken all the same, or somebody has deleted everything.
    await deliver(delivery([policy('a'), other]));
    expect(changedObjects()).toEqual(['proxypolicies/a', 'proxypolicies/b']);
    calls = [];
    await deliver(delivery([policy('a')]));
    await deliver(delivery([policy('a'), other]));
    expect(changedObjects()).toEqual(['proxypolicies/b', 'proxypolicies/b']);
  });

  it('takes out what it had written when it failed half-way', async () => {
    const { deliver } = kubernetesDelivery(client, canonical, names);
    answers.set('PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/b', { status: 500, body: {} });
    expect(await deliver(delivery([policy('a'), policy('b')]))).toMatchObject({ kind: 'failed' });
    calls = [];
    await deliver(delivery(undefined));
    expect(writes()).toContain('DELETE /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a');
  });

  it('does not go on with one namespace when it has told that another failed', async () => {
    const { deliver } = kubernetesDelivery(client, canonical, names);
    answers.set('PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a', { status: 401, body: {} });
    const many = Array.from({ length: 9 }, (_, place) => policy(`p${place}`, 'c-2'));
    const files = new Map([
      ['c-1', [policy('a')]],
      ['c-2', many],
    ]);
    expect(await deliver({ revision: 1, files, changed: [...files.keys()] })).toMatchObject({ kind: 'failed' });
    const told = calls.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls.length).toBe(told);
    expect(writes().filter((write) => write.includes('conf-c-2/proxypolicies'))).toHaveLength(many.length);
  });

  it('says of a server that others use that nobody knows what the implementation would do', async () => {
    answers.set('PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a', {
      status: 403,
      body: NO_QUOTA,
    });
    const shared = { ...names, run: 'x7k2m' };
    expect(await kubernetesDelivery(client, canonical, shared).deliver(delivery([policy('a')]))).toMatchObject({
      kind: 'failed',
      stuck: true,
    });
    const own = await kubernetesDelivery(client, canonical, names).deliver(delivery([policy('a')]));
    expect(own).toMatchObject({ kind: 'failed' });
    expect(own).not.toHaveProperty('stuck');
  });

  it('takes nothing for a refusal that a namespace on its way out says', async () => {
    const causes = [{ reason: 'NamespaceTerminating', message: 'namespace conf-c-1 is being terminated' }];
    const body = { reason: 'Forbidden', message: 'policies is forbidden', details: { causes } };
    answers.set('PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a', { status: 403, body });
    const { deliver } = kubernetesDelivery(client, canonical, names);
    expect(await deliver(delivery([policy('a')]))).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['too many calls', { status: 429, body: {} }],
    ['a store that is away', { status: 500, body: { message: 'etcdserver: request timed out' } }],
    ['a change of somebody else in the same moment', { status: 409, body: { reason: 'Conflict' } }],
    ['a namespace without an account for Pods', { status: 403, body: { message: 'error looking up service account' } }],
  ])('asks again after %s', async (_, passing) => {
    const place = 'PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a';
    answers.set(place, passing);
    const delivered = kubernetesDelivery(client, canonical, names).deliver(delivery([policy('a')]));
    await expect.poll(() => writes().filter((write) => write === place).length).toBeGreaterThan(0);
    answers.delete(place);
    expect(await delivered).toEqual({ kind: 'delivered' });
  });

  it('goes on asking where others write an object again and again', async () => {
    const place = 'PATCH /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a';
    answers.set(place, { status: 409, body: { reason: 'Conflict' } });
    const delivered = kubernetesDelivery(client, canonical, names).deliver(delivery([policy('a')]));
    // More than there are pauses.
    await expect.poll(() => writes().filter((write) => write === place).length).toBeGreaterThan(5);
    answers.delete(place);
    expect(await delivered).toEqual({ kind: 'delivered' });
  });

  it('has no Pod run that does not say where', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'c-1' }, spec: {} };
    const { deliver } = kubernetesDelivery(client, canonical, names);
    await deliver(delivery([pod]));
    expect(calls.at(-1)?.body).toMatchObject({ spec: { schedulerName: 'nobody-proxy-conformance' } });
    await deliver(delivery([{ ...pod, spec: { schedulerName: 'own' } }]));
    expect(calls.at(-1)?.body).toMatchObject({ spec: { schedulerName: 'own' } });
  });

  it('writes the status of a Pod to its subresource', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'c-1' }, spec: {} };
    const { deliver } = kubernetesDelivery(client, canonical, names);
    expect(await deliver(delivery([{ ...pod, status: { podIP: '192.0.2.1' } }]))).toEqual({ kind: 'delivered' });
    expect(writes().slice(-2)).toEqual([
      'PATCH /api/v1/namespaces/conf-c-1/pods/p',
      'PATCH /api/v1/namespaces/conf-c-1/pods/p/status',
    ]);
    expect(calls.at(-1)?.body).toMatchObject({ kind: 'Pod', metadata: { name: 'p' }, status: { podIP: '192.0.2.1' } });
    calls = [];
    await deliver(delivery([pod]));
    expect(writes().at(-1)).toBe('PATCH /api/v1/namespaces/conf-c-1/pods/p');
  });
});

describe('operations of an API server', () => {
  it('validates by a creation that is a dry run', async () => {
    const { op } = kubernetesOperation(client, canonical, names);
    answers.set('POST proxypolicies', { status: 422, body: { message: 'spec is wrong' } });
    expect(await op('validate', { resource: policy('a') })).toMatchObject({
      kind: 'result',
      result: { accepted: false, violations: [{ message: 'spec is wrong' }] },
    });
    expect(calls.at(-1)?.url).toContain('dryRun=All');
    expect(await op('validate', { resource: { ...policy('a'), kind: 'Strange' } })).toMatchObject({
      result: { accepted: false },
    });
  });

  it('does not take the lack of a definition of others for a refusal', async () => {
    const { op } = kubernetesOperation(client, canonical, names);
    const route = { ...policy('r'), apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' };
    expect(await op('validate', { resource: route })).toEqual({
      kind: 'unsupported',
      message: 'the server does not serve kind HTTPRoute of gateway.networking.k8s.io/v1',
    });
  });

  it('asks in a namespace of its own and leaves none behind', async () => {
    const { op, clean } = kubernetesOperation(client, canonical, names);
    await clean();
    expect(writes()).toEqual([]);
    await op('validate', { resource: policy('a') });
    await clean();
    const [made = '', , removed = ''] = writes();
    expect(made).toMatch(/^PATCH \/api\/v1\/namespaces\/conf-validate-[0-9a-f]{8}$/);
    expect(removed).toBe(made.replace('PATCH', 'DELETE'));
  });

  it('reads the status of the object, and calls other operations unsupported', async () => {
    answers.set('GET /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a', {
      status: 200,
      body: { status: { ancestors: [] } },
    });
    const { op } = kubernetesOperation(client, canonical, names);
    const question = { resources: [policy('a')], kind: 'ProxyPolicy', name: 'a', namespace: 'c-1' };
    expect(await op('status', question)).toEqual({ kind: 'result', result: { status: { ancestors: [] } } });
    expect(await op('effective-policy', {})).toMatchObject({ kind: 'unsupported' });
  });

  it('does not take for a status what a definition fills in before anybody has written one', async () => {
    const place = 'GET /apis/proxy.example/v1alpha1/namespaces/conf-c-1/proxypolicies/a';
    const waiting = {
      type: 'Accepted',
      status: 'Unknown',
      reason: 'Pending',
      lastTransitionTime: '1970-01-01T00:00:00Z',
    };
    answers.set(place, { status: 200, body: { status: { conditions: [waiting] } } });
    const { op } = kubernetesOperation(client, canonical, names);
    const asked = op('status', { resources: [policy('a')], kind: 'ProxyPolicy', name: 'a', namespace: 'c-1' });
    await expect.poll(() => calls.filter(({ method }) => method === 'GET').length).toBeGreaterThan(3);
    const conditions = [{ ...waiting, status: 'True', reason: 'Accepted' }];
    answers.set(place, { status: 200, body: { status: { conditions } } });
    expect(await asked).toEqual({ kind: 'result', result: { status: { conditions } } });
  });

  it('names the server that cannot be reached', async () => {
    const gone = createKubernetesClient({ url: new URL('http://127.0.0.1:1'), headers: () => ({}), tls: {} }, [1]);
    const said = { kind: 'failed', message: 'the API server cannot be reached: connect ECONNREFUSED 127.0.0.1:1' };
    expect(await kubernetesDelivery(gone, canonical, names).deliver(delivery([policy('a')]))).toEqual(said);
  });

  it('says that it does not know where a server that others use does not answer', async () => {
    answers.set('POST /apis/proxy.example/v1alpha1/namespaces/proxypolicies', { status: 401, body: {} });
    answers.set('POST proxypolicies', { status: 401, body: {} });
    const { op } = kubernetesOperation(client, canonical, { ...names, run: 'x7k2m' });
    expect(await op('validate', { resource: policy('a') })).toMatchObject({ kind: 'error', stuck: true });
  });
});

it('renames namespaces wherever a resource names one', () => {
  const grant = { kind: 'ReferenceGrant', metadata: { namespace: 'a' }, spec: { from: [{ namespace: 'b' }] } };
  expect(inNamespaces(grant, (name) => `x-${name}`)).toEqual({
    kind: 'ReferenceGrant',
    metadata: { namespace: 'x-a' },
    spec: { from: [{ namespace: 'x-b' }] },
  });
  expect(inNamespaces({ kind: 'Namespace', metadata: { name: 'a' } }, (name) => `x-${name}`)).toEqual({
    kind: 'Namespace',
    metadata: { name: 'x-a' },
  });
});
