import { createServer, type IncomingMessage, type Server } from 'node:http';
import { hostname } from 'node:os';
import { readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCases } from '../../case/load.ts';
import { cleanCluster } from '../../sut/kubernetes/clean-cluster.ts';
import { clusterPrefix, connectCluster, runIn } from '../../sut/kubernetes/cluster.ts';
import { isOver } from '../../sut/kubernetes/presence.ts';
import { inRun, MANAGED_BY, RUN, RUN_LABEL, runOf, SUITE } from '../../sut/kubernetes/run-mark.ts';
import { canonical } from '../../sut/dialect.ts';
import { parseManifest, type Manifest } from '../../sut/manifest.ts';
import type { Resource } from '../../sut/session.ts';
import { isObject } from '../../values/json.ts';
import { packageRoot } from '../../values/package-root.ts';

/** As much of an API server as a run needs: it keeps what is applied, lists by label, and stamps what it writes. */
let server: Server;
let port = 0;
let objects: Map<string, Resource>;
let hasLeases = true;
const WRITTEN = '2026-01-01T00:00:00Z';
const WRITTEN_AT = globalThis.Date.parse(WRITTEN);

const verbs = ['list'];
const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/version': {},
  '/api/v1': { resources: [{ name: 'namespaces', kind: 'Namespace', namespaced: false, verbs }] },
  '/apis/coordination.k8s.io/v1': { resources: [{ name: 'leases', kind: 'Lease', namespaced: true, verbs }] },
  '/apis/gateway.networking.k8s.io/v1': {
    resources: [
      { name: 'gatewayclasses', kind: 'GatewayClass', namespaced: false, verbs },
      { name: 'gateways', kind: 'Gateway', namespaced: true, verbs },
    ],
  },
  '/apis/proxy.example/v1alpha1': {
    resources: [{ name: 'proxypolicies', kind: 'ProxyPolicy', namespaced: true, verbs }],
  },
};

beforeEach(async () => {
  objects = new Map();
  hasLeases = true;
  server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => response.writeHead(status).end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> {
  const { pathname: place } = new URL(request.url ?? '', 'http://server');
  if (place.includes('coordination') && !hasLeases) return { status: 403, body: {} };
  if (request.method === 'PATCH') {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const given: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    if (isObject(given)) keep(place, given);
    return { status: 200, body: given };
  }
  if (request.method === 'DELETE') return { status: objects.delete(place) ? 200 : 404, body: {} };
  if (place in DISCOVERY) return { status: 200, body: DISCOVERY[place] };
  // Everything below a list, of whatever namespace, and whatever its labels: the suite looks at them again.
  const [, root = '', plural = ''] = /^(.*)\/([a-z]+)$/.exec(place) ?? [];
  const items = [...objects].filter(([key]) => key.startsWith(`${root}/`) && key.split('/').at(-2) === plural);
  return { status: 200, body: { items: items.map(([, value]) => value) } };
}

function keep(place: string, resource: Resource): void {
  const metadata = {
    ...(isObject(resource['metadata']) ? resource['metadata'] : {}),
    managedFields: [{ time: WRITTEN }],
  };
  objects.set(place, { ...resource, metadata });
}

function manifest(run = `kind: kubernetes, server: 'http://127.0.0.1:${port}', namespacePrefix: conf-`): Manifest {
  const text = `contract: 1\nimplementation: { name: x }\nrun: { ${run} }\nendpoints: { data: 'http://127.0.0.1:1' }\n`;
  return parseManifest(text, 'implementation.yaml');
}

/** What a run that ended without a word has left. */
function leave(run: string, holderIdentity?: string): void {
  const labels = { [MANAGED_BY]: SUITE, [RUN_LABEL]: run };
  const space = `conf-${run}-c-1`;
  keep(`/api/v1/namespaces/${space}`, { metadata: { name: space, labels } });
  const below = `/apis/proxy.example/v1alpha1/namespaces/${space}/proxypolicies`;
  keep(`${below}/a`, { metadata: { name: 'a', namespace: space, labels } });
  keep(`/apis/gateway.networking.k8s.io/v1/gatewayclasses/${run}`, { metadata: { name: run, labels } });
  if (holderIdentity === undefined) return;
  const lease = { metadata: { name: 'run', namespace: space, labels }, spec: { holderIdentity } };
  keep(`/apis/coordination.k8s.io/v1/namespaces/${space}/leases/run`, lease);
}

const left = (run: string): readonly string[] => [...objects.keys()].filter((key) => key.includes(run));

/** Which session it is depends on what else this process has connected to. */
const SPACE_OF_CASE = new RegExp(`^/api/v1/namespaces/conf-${RUN}-(\\d+-)?c-1$`);
const spacesOfCase = (): readonly string[] => [...objects.keys()].filter((key) => SPACE_OF_CASE.test(key));

function here(pid: number): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return [hostname(), boot, readlinkSync('/proc/self/ns/pid'), pid].join('/');
}

const NOBODY = 2 ** 22 + 1;
const MINUTES_MS = 60_000;

describe('a run in a cluster', () => {
  it('has names of its own, which say whose they are', async () => {
    expect(RUN).toMatch(/^[a-z0-9]{5}$/);
    expect(clusterPrefix(manifest())).toBe(`conf-${RUN}-`);
    const cluster = await connectCluster(
      { server: `http://127.0.0.1:${port}`, namespacePrefix: 'conf-' },
      manifest(),
      canonical,
      1000,
    );
    const policy = {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyPolicy',
      metadata: { name: 'a', namespace: 'c-1' },
    };
    const files = new Map([['c-1', [policy]]]);
    expect(await cluster.deliver({ revision: 1, files, changed: ['c-1'] })).toEqual({ kind: 'delivered' });
    expect(left(RUN)).toHaveLength(4);
    for (const one of objects.values()) expect(runOf(one)).toBe(RUN);
    const before = spacesOfCase();
    expect(before).toHaveLength(1);
    await cluster.clean();
    expect([...objects.keys()]).toEqual([]);
    // A case that is seen again must not wait until the namespaces of the session before have gone, which they may never do.
    const again = await connectCluster(
      { server: `http://127.0.0.1:${port}`, namespacePrefix: 'conf-' },
      manifest(),
      canonical,
      1000,
    );
    await again.deliver({ revision: 1, files, changed: ['c-1'] });
    expect(spacesOfCase()).toHaveLength(1);
    expect(spacesOfCase()).not.toEqual(before);
    await again.clean();
  });

  it('leaves alone what a program has for itself', () => {
    const own = manifest(
      "kind: process, command: [x], config: { deliver: kubernetes, server: 'http://127.0.0.1:{{port.admin}}' }",
    );
    expect(runIn(own)).toBeUndefined();
    expect(clusterPrefix(own)).toBe('');
    const resource = { metadata: { name: 'a' } };
    expect(inRun(resource, undefined)).toBe(resource);
  });

  it('keeps the labels that a case gives', () => {
    const labels = { [MANAGED_BY]: 'me', tier: 'gold' };
    expect(inRun({ metadata: { labels } }, 'abcde')).toMatchObject({
      metadata: { labels: { ...labels, [RUN_LABEL]: 'abcde' } },
    });
  });

  it('gives cases hosts and namespaces that no other run has', () => {
    const file = path.join(packageRoot(), 'conformance/cases/routing/properties.yaml');
    const text = readFileSync(file, 'utf8');
    const namesOf = (run?: string): ReadonlySet<string> =>
      new Set(parseCases(file, text, { run }).cases.flatMap(({ namespace, host }) => [namespace, host]));
    expect(namesOf()).toEqual(namesOf());
    expect(namesOf('abcde').size).toBe(namesOf().size);
    expect([...namesOf('abcde')].filter((name) => namesOf('fghjk').has(name))).toEqual([]);
  });
});

describe('what runs have left', () => {
  it('goes when the run is over, and nothing else does', async () => {
    leave('gone1', here(NOBODY));
    leave('works', here(process.pid));
    leave('away1', 'elsewhere/b/pid:[1]/7');
    leave('quiet');
    keep('/api/v1/namespaces/theirs', { metadata: { name: 'theirs' } });
    const labels = { [MANAGED_BY]: SUITE, [RUN_LABEL]: 'leaves' };
    keep('/api/v1/namespaces/leaving', { metadata: { name: 'leaving', labels, deletionTimestamp: WRITTEN } });
    const found = await cleanCluster(manifest());
    const told = found.map(({ run, state, removed }) => [run, state, removed]);
    expect(told).toHaveLength(4);
    expect(told).toEqual(
      expect.arrayContaining([
        ['away1', 'at work', undefined],
        ['gone1', 'over', 4],
        ['quiet', 'unknown', undefined],
        ['works', 'at work', undefined],
      ]),
    );
    expect(left('gone1')).toEqual([]);
    expect([left('works'), left('away1'), left('quiet')].map(({ length }) => length)).toEqual([4, 4, 3]);
    expect(objects.has('/api/v1/namespaces/theirs')).toBe(true);
    expect(left(RUN)).toEqual([]);
  });

  it('of which nothing tells goes when it is named, unless its run is at work', async () => {
    leave('quiet');
    leave('works', here(process.pid));
    await cleanCluster(manifest(), 'quiet');
    await cleanCluster(manifest(), 'works');
    expect(left('quiet')).toEqual([]);
    expect(left('works')).toHaveLength(4);
  });

  it('stays where the server has no leases for this user', async () => {
    hasLeases = false;
    leave('quiet');
    expect(await cleanCluster(manifest())).toMatchObject([{ run: 'quiet', state: 'unknown' }]);
    expect(left('quiet')).toHaveLength(3);
  });

  it('goes in passing when the next run begins', async () => {
    leave('gone1', here(NOBODY));
    const choice = { server: `http://127.0.0.1:${port}`, namespacePrefix: 'conf-' };
    const cluster = await connectCluster(choice, manifest(), canonical, 1000);
    await expect.poll(() => left('gone1')).toEqual([]);
    await cluster.clean();
  });

  it('is of a run elsewhere that is over when its lease has not been renewed for long, by the clock of the server', () => {
    const lease = {
      metadata: { managedFields: [{ time: WRITTEN }] },
      spec: { holderIdentity: 'elsewhere/b/pid:[1]/7', renewTime: '1999-01-01T00:00:00Z' },
    };
    expect(isOver(lease, WRITTEN_AT + 4 * MINUTES_MS)).toBe(false);
    expect(isOver(lease, WRITTEN_AT + 6 * MINUTES_MS)).toBe(true);
    expect(isOver({ ...lease, metadata: {} }, WRITTEN_AT + 6 * MINUTES_MS)).toBe(false);
    expect(isOver({ ...lease, spec: { holderIdentity: here(process.pid) } }, WRITTEN_AT + 6 * MINUTES_MS)).toBe(false);
  });
});
