import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { stringify } from 'yaml';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAuthority, issue } from '../../../../mocks/tls/certificate.ts';
import { canonical } from '../../sut/dialect.ts';
import { connectCluster, type Cluster } from '../../sut/kubernetes/cluster.ts';
import { RUN } from '../../sut/kubernetes/run-mark.ts';
import { parseManifest, type Manifest } from '../../sut/manifest.ts';

const authority = createAuthority('cluster');
const identity = issue({ commonName: 'api', names: ['127.0.0.1'], usage: 'server' }, authority);
const client = issue({ commonName: 'conform', usage: 'client' }, authority);
const stranger = issue({ commonName: 'conform', usage: 'client' }, createAuthority('another'));
const TOKEN = 'one-of-the-secrets';
/** A session after the first has namespaces of its own. */
const APPLIED = new RegExp(`^PATCH /apis/proxy\\.example/v1alpha1/namespaces/conf-${RUN}-(\\d+-)?c-1/proxypolicies/p$`);

/** Who a request came from, as the server knows it: by certificate, by token, or not at all. */
let callers: (string | undefined)[] = [];
let applied: string[] = [];
let server: Server;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'conform-kubeconfig-'));
  const tls = { cert: identity.certificate, key: identity.key, ca: authority.certificate };
  server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const caller = callerOf(request);
    callers.push(caller);
    const [status, body] = caller === undefined ? [401, {}] : answer(request.method ?? '', request.url ?? '');
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

beforeEach(() => {
  callers = [];
  applied = [];
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

function callerOf({ socket, headers }: IncomingMessage): string | undefined {
  if (socket instanceof TLSSocket && socket.authorized)
    return `certificate of ${String(socket.getPeerCertificate().subject.CN)}`;
  return headers.authorization === `Bearer ${TOKEN}` ? 'token' : undefined;
}

function answer(method: string, url: string): readonly [number, object] {
  const [at = ''] = url.split('?');
  const served = COLLECTIONS[`${method} ${at}`];
  if (served !== undefined) return [200, served];
  if (!at.includes('/proxypolicies/') && !at.includes('/namespaces')) return [404, {}];
  applied.push(`${method} ${at}`);
  return [200, {}];
}

const COLLECTIONS: Readonly<Record<string, object>> = {
  'GET /version': { major: '1' },
  'GET /api/v1': { resources: [{ name: 'namespaces', kind: 'Namespace', namespaced: false }] },
  'GET /apis/proxy.example/v1alpha1': {
    resources: [{ name: 'proxypolicies', kind: 'ProxyPolicy', namespaced: true }],
  },
};

const data = (pem: string): string => Buffer.from(pem).toString('base64');

/** Connects by a kubeconfig with this user, and this trust in the server. */
async function connected(
  user: object,
  trust: object = { 'certificate-authority-data': data(authority.certificate) },
): Promise<Cluster> {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const config = {
    'current-context': 'elsewhere',
    contexts: [
      { name: 'elsewhere', context: { cluster: 'nowhere', user: 'me' } },
      { name: 'here', context: { cluster: 'here', user: 'me' } },
    ],
    clusters: [
      { name: 'nowhere', cluster: { server: 'https://127.0.0.1:1' } },
      { name: 'here', cluster: { server: `https://127.0.0.1:${port}`, ...trust } },
    ],
    users: [{ name: 'me', user }],
  };
  await writeFile(path.join(folder, 'kubeconfig'), stringify(config));
  const manifest: Manifest = { ...MANIFEST, folder };
  return connectCluster(
    { kubeconfig: 'kubeconfig', context: 'here', namespacePrefix: 'conf-' },
    manifest,
    canonical,
    0,
  );
}

const MANIFEST = parseManifest(
  "contract: 1\nimplementation: { name: x }\nrun: { kind: kubernetes, kubeconfig: kubeconfig }\nendpoints: { data: 'http://127.0.0.1:1' }\n",
  'implementation.yaml',
);

const POLICY = {
  apiVersion: 'proxy.example/v1alpha1',
  kind: 'ProxyPolicy',
  metadata: { name: 'p', namespace: 'c-1' },
  spec: {},
};

async function deliver(cluster: Cluster): Promise<void> {
  await cluster.deliver({ revision: 1, files: new Map([['c-1', [POLICY]]]), changed: ['c-1'] });
}

test('a client certificate in the kubeconfig is shown with every call', async () => {
  const user = { 'client-certificate-data': data(client.certificate), 'client-key-data': data(client.key) };
  await deliver(await connected(user));
  expect(new Set(callers)).toEqual(new Set(['certificate of conform']));
  expect(applied).toContainEqual(expect.stringMatching(APPLIED));
});

test('certificates and the authority may lie in files beside the kubeconfig', async () => {
  await writeFile(path.join(folder, 'ca.pem'), authority.certificate);
  await writeFile(path.join(folder, 'client.pem'), client.certificate);
  await writeFile(path.join(folder, 'client.key'), client.key);
  const user = { 'client-certificate': 'client.pem', 'client-key': 'client.key' };
  await deliver(await connected(user, { 'certificate-authority': 'ca.pem' }));
  expect(new Set(callers)).toEqual(new Set(['certificate of conform']));
});

test('a token in the kubeconfig is sent with every call', async () => {
  await deliver(await connected({ token: TOKEN }));
  expect(new Set(callers)).toEqual(new Set(['token']));
  expect(applied).toContainEqual(expect.stringMatching(APPLIED));
});

test.each([
  [
    'a server of another authority',
    { token: TOKEN },
    { 'certificate-authority-data': data(createAuthority('other').certificate) },
    /certificate/,
  ],
  ['a server of no known authority', { token: TOKEN }, {}, /certificate/],
  ['nobody in particular', {}, undefined, /it answers 401 to GET \/version/],
  ['a wrong token', { token: 'wrong' }, undefined, /it answers 401 to GET \/version/],
  [
    'a certificate of another authority',
    { 'client-certificate-data': data(stranger.certificate), 'client-key-data': data(stranger.key) },
    undefined,
    /it answers 401 to GET \/version/,
  ],
])('%s: there is no cluster, and the message holds no secret', async (_, user, trust, message) => {
  const failure = await connected(user, trust).then(String, String);
  expect(failure).toMatch(message);
  expect(failure).not.toContain(TOKEN);
  expect(applied).toEqual([]);
});
