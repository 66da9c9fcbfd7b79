import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ApiServer, createApiServer, gateway } from './api-server.ts';

const installed = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!installed) process.stderr.write('skipped: the tests with kubectl, because there is no kubectl on the PATH\n');

const MANIFEST = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: shop}
spec: {gatewayClassName: refproxy, listeners: [{name: http, port: 18080, protocol: HTTP}]}
---
apiVersion: proxy.example/v1alpha1
kind: ProxyBackend
metadata: {name: b, namespace: shop}
spec: {static: {host: 127.0.0.1, port: 8000}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: shop}
spec:
  parentRefs: [{name: gw}]
  rules: [{backendRefs: [{group: proxy.example, kind: ProxyBackend, name: b}]}]
---
apiVersion: proxy.example/v1alpha1
kind: ProxyPolicy
metadata: {name: p, namespace: shop}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: r}]
  traffic: {timeouts: {request: 5s}}
---
apiVersion: v1
kind: Service
metadata: {name: svc, namespace: shop}
spec: {ports: [{name: a, port: 80}, {name: b, port: 81}]}
---
apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: shop}
stringData: {token: hidden-value}
`;

const REJECTED = `
apiVersion: proxy.example/v1alpha1
kind: ProxyPolicy
metadata: {name: bad, namespace: shop}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: r, sectionName: a, port: 1}]
  trafic: {}
  traffic: {timeouts: {request: 5x}}
`;

describe.skipIf(!installed)('kubectl', { timeout: 60_000 }, () => {
  let home = '';
  let api: ApiServer;
  let port = 0;
  beforeAll(() => {
    home = mkdtempSync(path.join(tmpdir(), 'refproxy-kubectl-'));
    writeFileSync(path.join(home, 'all.yaml'), MANIFEST);
    writeFileSync(path.join(home, 'bad.yaml'), REJECTED);
  });
  afterAll(() => {
    rmSync(home, { recursive: true });
  });
  beforeEach(async () => {
    api = createApiServer();
    port = await api.admin.listen(0);
  });
  afterEach(() => api.admin.close());

  // A program of Go that ends at once has nothing to collect.
  const environment = () => ({ ...process.env, HOME: home, KUBECONFIG: '/dev/null', GOGC: 'off' });
  const flags = () => ['--server', `http://127.0.0.1:${port}`, '--cache-dir', path.join(home, String(port))];
  const run = promisify(execFile);
  /** What kubectl prints; on failure its error, after the word `failed`. */
  const kubectl = async (...args: string[]): Promise<string> => {
    try {
      const { stdout, stderr } = await run('kubectl', [...flags(), ...args], { env: environment(), cwd: home });
      return `${stdout}${stderr}`;
    } catch (error) {
      return `failed: ${error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)}`;
    }
  };

  test('apply, get, describe and delete', async () => {
    const applied = await kubectl('apply', '-f', 'all.yaml');
    expect(applied.trim().split('\n')).toEqual([
      'namespace/shop created',
      'gateway.gateway.networking.k8s.io/gw created',
      'proxybackend.proxy.example/b created',
      'httproute.gateway.networking.k8s.io/r created',
      'proxypolicy.proxy.example/p created',
      'service/svc created',
      'secret/keys created',
    ]);
    expect(api.store.snapshot().get('HTTPRoute', 'shop', 'r')).toBeDefined();
    expect(await kubectl('apply', '-f', 'all.yaml')).toContain('proxypolicy.proxy.example/p unchanged');

    const table = await kubectl('get', 'proxypolicy', '-A');
    expect(table).toMatch(/^NAMESPACE +NAME +TARGETS +ACCEPTED +ATTACHED +AGE$/m);
    expect(table).toMatch(/^shop +p +HTTPRoute\/r +True +True +0s$/m);
    const described = await kubectl('-n', 'shop', 'describe', 'proxypolicy', 'p');
    expect(described).toMatch(/Message: +Attached to all targets/);
    expect(described).toMatch(/Request: +5s/);
    expect(await kubectl('-n', 'shop', 'describe', 'service', 'svc')).toMatch(/^Port: +a +80\//m);

    expect(await kubectl('-n', 'shop', 'get', 'secrets', '-o', 'yaml')).not.toContain(base64('hidden-value'));
    expect(await kubectl('-n', 'shop', 'get', 'secret', 'keys', '-o', 'yaml')).toContain(base64('hidden-value'));

    expect(await kubectl('-n', 'shop', 'delete', 'proxypolicy', 'p')).toContain('"p" deleted');
    expect(await kubectl('delete', 'namespace', 'shop')).toContain('namespace "shop" deleted');
    expect(api.store.snapshot().resources.size).toBe(0);
  });

  test('a rejected apply shows every violated rule', async () => {
    await kubectl('create', 'namespace', 'shop');
    const rejected = await kubectl('apply', '-f', 'bad.yaml');
    expect(rejected).toMatch(/^failed: The ProxyPolicy "bad" is invalid:/);
    expect(rejected).toMatch(/^\* spec\.targetRefs\[0\]: .* \[ADMIT-066\]$/m);
    expect(rejected).toMatch(/^\* spec\.traffic\.timeouts\.request: must be a duration/m);
    expect(rejected).toMatch(/^\* spec\.trafic: unknown field "trafic"; did you mean "traffic"\?/m);
    const lenient = await kubectl('apply', '-f', 'bad.yaml', '--validate=ignore');
    expect(lenient).toContain('ADMIT-066');
    expect(lenient).not.toContain('trafic');
  });

  test('dry run and diff', async () => {
    await kubectl('create', 'namespace', 'shop');
    expect(await kubectl('apply', '-f', 'all.yaml', '--dry-run=server')).toContain('p created (server dry run)');
    expect(await kubectl('apply', '-f', 'bad.yaml', '--dry-run=server')).toContain('ADMIT-066');
    expect([...api.store.snapshot().resources.keys()]).toEqual(['Namespace//shop']);
  });

  test('explain', async () => {
    const fields = await kubectl('explain', 'proxypolicy.spec.traffic.timeouts');
    expect(fields).toMatch(/^GROUP: +proxy\.example$/m);
    expect(fields).toMatch(/^ +request\t<string>$/m);
    expect(await kubectl('explain', 'gateway')).toContain('Where traffic is accepted');
    expect(await kubectl('explain', 'gateway.spec.listeners')).toMatch(/^FIELD: listeners <\[\]Object>$/m);
    expect(await kubectl('explain', 'proxypolicy.spec.nothing')).toMatch(/^failed: .*does not exist/);
    expect(await kubectl('api-resources')).toMatch(/^proxybackends +proxy\.example\/v1alpha1 +true +ProxyBackend$/m);
  });

  test('patch, label, wait and edit', async () => {
    await kubectl('apply', '-f', 'all.yaml');
    const inShop = (...args: string[]): Promise<string> => kubectl('-n', 'shop', ...args);
    const portNow = async (): Promise<string> =>
      inShop('get', 'proxybackend', 'b', '-o', 'jsonpath={.spec.static.port}');
    await inShop('patch', 'proxybackend', 'b', '--type=merge', '-p', '{"spec":{"static":{"port":9}}}');
    expect(await portNow()).toBe('9');
    await inShop(
      'patch',
      'proxybackend',
      'b',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/static/port","value":10}]',
    );
    expect(await portNow()).toBe('10');
    expect(await inShop('patch', 'proxybackend', 'b', '-p', '{}')).toMatch(/^failed: .*not supported/);
    expect(await inShop('patch', 'service', 'svc', '-p', '{"spec":{"ports":[{"port":80,"name":"z"}]}}')).toContain(
      'patched',
    );
    expect(await inShop('get', 'service', 'svc', '-o', 'jsonpath={.spec.ports[*].name}')).toBe('z b');
    expect(await inShop('label', 'httproute', 'r', 'a=b')).toContain('labeled');
    expect(await inShop('get', 'httproute', '-l', 'a=b', '-o', 'name')).toBe('httproute.gateway.networking.k8s.io/r\n');
    expect(await inShop('wait', '--for=condition=Accepted', 'proxybackend/b', '--timeout=5s')).toContain(
      'condition met',
    );
  });

  test('server-side apply, with a conflict, and after a plain apply', async () => {
    await kubectl('apply', '-f', 'all.yaml');
    expect(await kubectl('apply', '--server-side', '-f', 'all.yaml')).toContain(
      'proxybackend.proxy.example/b serverside-applied',
    );
    writeFileSync(path.join(home, 'other.yaml'), MANIFEST.replace('port: 8000', 'port: 8001'));
    const other = ['apply', '--server-side', '--field-manager=other', '-f', 'other.yaml'];
    expect(await kubectl(...other)).toContain(
      'conflict with "kubectl" using proxy.example/v1alpha1: .spec.static.port',
    );
    expect(await kubectl(...other, '--force-conflicts')).toContain('proxybackend.proxy.example/b serverside-applied');
    expect(api.store.snapshot().get('ProxyBackend', 'shop', 'b')?.spec.static?.port).toBe(8001);
  });

  test('create without a manifest', async () => {
    expect(await kubectl('create', 'namespace', 'n')).toBe('namespace/n created\n');
    expect(await kubectl('-n', 'n', 'create', 'configmap', 'c', '--from-literal=a=b')).toBe('configmap/c created\n');
    expect(api.store.snapshot().get('ConfigMap', 'n', 'c')?.data).toEqual({ a: 'b' });
    expect(await kubectl('-n', 'n', 'create', 'secret', 'generic', 's', '--from-literal=a=b')).toBe(
      'secret/s created\n',
    );
    expect(api.store.snapshot().get('Secret', 'n', 's')).toMatchObject({ data: { a: base64('b') } });
    expect(await kubectl('-n', 'n', 'create', 'service', 'clusterip', 'x', '--tcp=80:http')).toBe(
      'service/x created\n',
    );
    expect(api.store.snapshot().get('Service', 'n', 'x')?.spec).toMatchObject({
      ports: [{ port: 80, targetPort: 'http', protocol: 'TCP' }],
      selector: { app: 'x' },
    });
  });

  test('categories, questions about access and readiness', async () => {
    await kubectl('apply', '-f', 'all.yaml');
    expect((await kubectl('-n', 'shop', 'get', 'proxy', '-o', 'name')).split('\n').toSorted()).toEqual([
      '',
      'proxybackend.proxy.example/b',
      'proxypolicy.proxy.example/p',
    ]);
    expect(await kubectl('-n', 'shop', 'get', 'all', '-o', 'name')).toBe('service/svc\n');
    expect(await kubectl('auth', 'can-i', 'create', 'proxypolicies')).toBe('yes\n');
    // `no` is on the standard output, and the exit code is 1.
    expect(await kubectl('auth', 'can-i', 'update', 'gateways', '--subresource=status')).toBe('failed: ');
    expect(await kubectl('get', '--raw', '/readyz')).toBe('ok\n');
  });

  test('a list, an unknown kind, an object of a file', async () => {
    const items = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'listed' } }];
    writeFileSync(path.join(home, 'list.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    expect(await kubectl('apply', '-f', 'list.json')).toBe('configmap/listed created\n');
    writeFileSync(
      path.join(home, 'node.json'),
      JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'p' } }),
    );
    expect(await kubectl('apply', '-f', 'node.json')).toContain('no matches for kind "Node"');
    api.file('/etc/proxy/a.yaml', gateway('gw', 'files'));
    expect(await kubectl('-n', 'files', 'get', 'gtw', '-o', 'name')).toBe('gateway.gateway.networking.k8s.io/gw\n');
    expect(await kubectl('-n', 'files', 'delete', 'gtw', 'gw')).toContain('comes from /etc/proxy/a.yaml');
  });

  test('get --watch shows changes as they come', async () => {
    const child = spawn('kubectl', [...flags(), 'get', 'configmap', '--watch'], { env: environment() });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    // A line may be printed in several pieces.
    const lines = (): string[] => printed.split('\n').slice(0, -1);
    try {
      await expect.poll(() => [...api.store.snapshot().resources.keys()].length).toBe(0);
      await kubectl('create', 'configmap', 'a');
      await expect.poll(() => lines().filter((line) => line.startsWith('a ')).length, { timeout: 20_000 }).toBe(1);
      await kubectl('patch', 'configmap', 'a', '-p', '{"data":{"k":"v"}}');
      await expect.poll(() => lines().at(-1), { timeout: 20_000 }).toMatch(/^a +1 /);
    } finally {
      child.kill();
    }
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
