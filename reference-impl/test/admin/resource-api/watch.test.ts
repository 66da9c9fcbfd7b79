import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import request from 'supertest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type ApiServer,
  backend,
  BACKENDS,
  CONFIG_MAPS,
  configMap,
  createApiServer,
  gateway,
  SECRETS,
  at,
  bodyOf,
  textLike,
  listWith,
  objectWith,
} from './api-server.ts';

let api: ApiServer;
let port: number;
beforeEach(async () => {
  api = createApiServer();
  port = await api.admin.listen(0);
});
afterEach(() => api.admin.close());

const agent = () => request(api.admin.http);

const EVENT = z.looseObject({
  type: z.string(),
  object: z.looseObject({ metadata: z.looseObject({ name: z.string().optional(), resourceVersion: z.string() }) }),
});

type Event = z.infer<typeof EVENT>;

test('everything that is there, then every change, until the client leaves', async () => {
  await agent().post(CONFIG_MAPS).send(configMap('a')).expect(201);
  const watch = await watching(CONFIG_MAPS);
  expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  await agent().post(CONFIG_MAPS).send(configMap('b')).expect(201);
  expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'b' } } });
  await agent()
    .put(`${CONFIG_MAPS}/b`)
    .send(configMap('b', { k: 'v' }))
    .expect(200);
  expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { data: { k: 'v' } } });
  await agent().delete(`${CONFIG_MAPS}/b`).expect(200);
  expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'b' } } });
});

test('what came after a version of a list, once, with growing versions', async () => {
  await agent().post(CONFIG_MAPS).send(configMap('a')).expect(201);
  const list = await bodyOf(agent().get(CONFIG_MAPS).expect(200));
  await agent().post(CONFIG_MAPS).send(configMap('b')).expect(201);
  await agent().delete(`${CONFIG_MAPS}/a`).expect(200);
  const watch = await watching(`${CONFIG_MAPS}?resourceVersion=${String(at(list, 'metadata', 'resourceVersion'))}`);
  const events = [await watch.next(), await watch.next()];
  expect(events.map((event) => `${event?.type} ${event?.object.metadata.name}`)).toEqual(['ADDED b', 'DELETED a']);
  const [first, second] = events.map((event) => Number(event?.object.metadata.resourceVersion));
  expect(first).toBeGreaterThan(Number(at(list, 'metadata', 'resourceVersion')));
  expect(second).toBeGreaterThan(first ?? 0);
});

test('a status that changes because of another object', async () => {
  const route = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'r' },
    spec: { parentRefs: [{ name: 'gw' }] },
  };
  const routes = '/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes';
  const before = await bodyOf(agent().post(routes).send(route).expect(201));
  const watch = await watching(`${routes}?resourceVersion=${String(at(before, 'metadata', 'resourceVersion'))}`);
  api.clock.advance(5000);
  await agent().post('/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways').send(gateway('gw')).expect(201);
  expect(await watch.next()).toMatchObject({
    type: 'MODIFIED',
    object: {
      metadata: { name: 'r', generation: 1 },
      status: {
        parents: [
          {
            conditions: listWith(
              objectWith({
                type: 'Accepted',
                status: 'True',
                lastTransitionTime: '2023-11-14T22:13:25.000Z',
              }),
            ),
          },
        ],
      },
    },
  });
});

test('with a selector, an object that leaves its sight is deleted', async () => {
  const watch = await watching(`${CONFIG_MAPS}?labelSelector=on`);
  await agent().post(CONFIG_MAPS).send(configMap('hidden')).expect(201);
  await agent()
    .post(CONFIG_MAPS)
    .send(configMap('a', {}, { labels: { on: '' } }))
    .expect(201);
  expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  await agent().put(`${CONFIG_MAPS}/a`).send(configMap('a')).expect(200);
  expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'a' } } });
  await agent()
    .put(`${CONFIG_MAPS}/a`)
    .send(configMap('a', {}, { labels: { on: '' } }))
    .expect(200);
  expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
});

test('shows no credentials', async () => {
  const watch = await watching(SECRETS);
  await agent()
    .post(SECRETS)
    .send({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { token: 'hidden' } })
    .expect(201);
  const event = await watch.next();
  expect(event).toMatchObject({ type: 'ADDED', object: { data: { token: textLike(/./) } } });
  expect(JSON.stringify(event)).not.toContain(Buffer.from('hidden').toString('base64'));
});

test('as rows of a table', async () => {
  const watch = await watching(BACKENDS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  await agent().post(BACKENDS).send(backend('b')).expect(201);
  expect(await watch.next()).toMatchObject({
    type: 'ADDED',
    object: { kind: 'Table', rows: [{ cells: ['b', 'static', 'True', '0s'] }] },
  });
});

test('ends after the time the client asked for', async () => {
  const watch = await watching(`${CONFIG_MAPS}?timeoutSeconds=5`);
  api.clock.advance(4999);
  await agent().post(CONFIG_MAPS).send(configMap('a')).expect(201);
  expect(await watch.next()).toMatchObject({ type: 'ADDED' });
  api.clock.advance(1);
  expect(await watch.next()).toBeUndefined();
});

test('tells a quiet client how far it has come', async () => {
  const watch = await watching(`${CONFIG_MAPS}?allowWatchBookmarks=true&sendInitialEvents=true`);
  const first = await watch.next();
  expect(first).toMatchObject({
    type: 'BOOKMARK',
    object: { kind: 'ConfigMap', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
  await agent().post(BACKENDS).send(backend('b')).expect(201);
  api.clock.advance(30_000);
  const second = await watch.next();
  expect(second).toMatchObject({ type: 'BOOKMARK' });
  expect(Number(second?.object.metadata.resourceVersion)).toBeGreaterThan(
    Number(first?.object.metadata.resourceVersion),
  );
});

test.each(['1', '99999999999999'])('version %s is not known: 410', async (version) => {
  const body = await bodyOf(agent().get(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`).expect(410));
  expect(body).toMatchObject({ kind: 'Status', reason: 'Expired' });
});

test('what is no version is refused', async () => {
  await agent().get(`${CONFIG_MAPS}?watch=1&resourceVersion=x`).expect(400);
});

test('only so many changes are kept', { timeout: 60_000 }, async () => {
  const list = await bodyOf(agent().get(CONFIG_MAPS).expect(200));
  api.file('many', ...many(0));
  api.file('many', ...many(1));
  await agent()
    .get(`${CONFIG_MAPS}?watch=1&resourceVersion=${String(at(list, 'metadata', 'resourceVersion'))}`)
    .expect(410);
});

test('only what is read is written, and nothing is left out', { timeout: 60_000 }, async () => {
  api.file('many', ...Array.from({ length: 3000 }, (_, index) => configMap(`c${index}`, { k: 'v'.repeat(10_000) })));
  const answered = new Promise<ServerResponse>((resolve) => {
    api.admin.http.prependListener('request', (_, response) => {
      resolve(response);
    });
  });
  const watch = await watching(CONFIG_MAPS);
  const response = await answered;
  // The list has thirty megabytes.
  expect(response.writableLength).toBeLessThan(1024 * 1024);
  api.file('late', configMap('late'));
  const names = new Set<string | undefined>();
  while (names.size < 3001) names.add((await watch.next())?.object.metadata.name);
  expect(names.has('late')).toBe(true);
  expect(names.has(undefined)).toBe(false);
});

function many(part: number): object[] {
  return Array.from({ length: 7000 }, (_, index) => configMap(`c${part}-${index}`));
}

/** A client that watches; `next` gives one event at a time, undefined at the end. */
async function watching(path: string, headers: Record<string, string> = {}) {
  const separator = path.includes('?') ? '&' : '?';
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = httpRequest({ port, path: `${path}${separator}watch=true`, headers, agent: false }, resolve);
    outgoing.once('error', reject);
    outgoing.end();
  });
  expect(response.statusCode).toBe(200);
  const chunks = response.iterator({ destroyOnReturn: false });
  let text = '';
  return {
    next: async (): Promise<Event | undefined> => {
      while (!text.includes('\n')) {
        const chunk = await chunks.next();
        if (chunk.done === true) return undefined;
        text += String(chunk.value);
      }
      const end = text.indexOf('\n');
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      return EVENT.parse(JSON.parse(line));
    },
  };
}
