import request from 'supertest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ApiServer,
  backend,
  BACKENDS,
  CONFIG_MAPS,
  configMap,
  createApiServer,
  namespace,
  at,
  bodyOf,
  listAt,
  textLike,
} from './api-server.ts';

let api: ApiServer;
beforeEach(async () => {
  api = createApiServer();
  await agent().post('/api/v1/namespaces').send(namespace('n')).expect(201);
  const objects: readonly (readonly [string, string, Record<string, string>])[] = [
    ['default', 'a', { app: 'web', tier: 'front' }],
    ['default', 'b', { app: 'web' }],
    ['n', 'a', { app: 'db' }],
    ['n', 'c', {}],
  ];
  for (const [place, name, labels] of objects) {
    // In order, so that versions grow in order.
    await agent()
      .post(`/api/v1/namespaces/${place}/configmaps`)
      .send(configMap(name, { k: 'v' }, { labels }))
      .expect(201);
  }
});
afterEach(() => api.admin.close());

const agent = () => request(api.admin.http);

async function namesAt(path: string): Promise<string[]> {
  const body = await bodyOf(agent().get(path).expect(200));
  return listAt(body, 'items').map(
    (item) => `${String(at(item, 'metadata', 'namespace'))}/${String(at(item, 'metadata', 'name'))}`,
  );
}

test('of one namespace, and of all', async () => {
  expect(await namesAt(CONFIG_MAPS)).toEqual(['default/a', 'default/b']);
  expect(await namesAt('/api/v1/configmaps')).toEqual(['default/a', 'default/b', 'n/a', 'n/c']);
  expect(await namesAt('/api/v1/namespaces/nowhere/configmaps')).toEqual([]);
  const body = await bodyOf(agent().get(CONFIG_MAPS).expect(200));
  expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
});

test.each([
  ['labelSelector=app', ['default/a', 'default/b', 'n/a']],
  ['labelSelector=app=web', ['default/a', 'default/b']],
  ['labelSelector=app==web,tier', ['default/a']],
  ['labelSelector=app%3Dweb,!tier', ['default/b']],
  ['labelSelector=app!=web', ['n/a', 'n/c']],
  ['labelSelector=app in (db, web),app notin (web)', ['n/a']],
  ['labelSelector=!app', ['n/c']],
  ['fieldSelector=metadata.name=a', ['default/a', 'n/a']],
  ['fieldSelector=metadata.name!=a,metadata.namespace=n', ['n/c']],
  ['labelSelector=app&fieldSelector=metadata.namespace==n', ['n/a']],
])('%s', async (query, names) => {
  expect(await namesAt(`/api/v1/configmaps?${query.replaceAll(' ', '%20')}`)).toEqual(names);
});

test.each([
  'labelSelector=a=b=c',
  'labelSelector=(',
  'fieldSelector=data.k=v',
  'fieldSelector=x',
  'limit=x',
  'limit=-1',
])('%s is refused', async (query) => {
  const body = await bodyOf(agent().get(`${CONFIG_MAPS}?${query}`).expect(400));
  expect(at(body, 'message')).toContain(query.slice(0, query.indexOf('=')));
});

test.each(['garbage', '!', 'a=b', Buffer.from('Secret/default/a').toString('base64url')])(
  'a list goes on only from a place this server gave, else the client is told to begin again: %s',
  async (token) => {
    const body = await bodyOf(agent().get(`${CONFIG_MAPS}?limit=1&continue=${token}`).expect(410));
    expect(body).toMatchObject({ kind: 'Status', reason: 'Expired' });
  },
);

test('page by page', async () => {
  const first = await bodyOf(agent().get('/api/v1/configmaps?limit=3').expect(200));
  expect(at(first, 'items')).toHaveLength(3);
  expect(at(first, 'metadata')).toMatchObject({ remainingItemCount: 1, continue: textLike(/./) });
  const second = await bodyOf(
    agent()
      .get(`/api/v1/configmaps?limit=3&continue=${String(at(first, 'metadata', 'continue'))}`)
      .expect(200),
  );
  expect(at(second, 'items')).toHaveLength(1);
  expect(at(second, 'metadata')).not.toHaveProperty('continue');
});

test('deleted by selector, also as a dry run', async () => {
  await agent().delete(`${CONFIG_MAPS}?labelSelector=tier&dryRun=All`).expect(200);
  const body = await bodyOf(agent().delete(`${CONFIG_MAPS}?labelSelector=tier`).expect(200));
  expect(at(body, 'items')).toHaveLength(1);
  expect(await namesAt(CONFIG_MAPS)).toEqual(['default/b']);
  await agent().delete(CONFIG_MAPS).expect(200);
  expect(await namesAt('/api/v1/configmaps')).toEqual(['n/a', 'n/c']);
});

describe('as a table', () => {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

  test('with columns of the kind and the age', async () => {
    await agent().post(BACKENDS).send(backend('b')).expect(201);
    api.clock.advance(150_000);
    const body = await bodyOf(agent().get(BACKENDS).set('accept', accept).expect(200));
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(listAt(body, 'columnDefinitions').map((column) => at(column, 'name'))).toEqual([
      'Name',
      'Type',
      'Accepted',
      'Age',
    ]);
    expect(at(body, 'rows')).toMatchObject([
      { cells: ['b', 'static', 'True', '150s'], object: { kind: 'PartialObjectMetadata', metadata: { name: 'b' } } },
    ]);
    api.clock.advance(3 * 86_400_000);
    const one = await bodyOf(agent().get(`${BACKENDS}/b?includeObject=Object`).set('accept', accept).expect(200));
    expect(at(one, 'rows')).toMatchObject([{ cells: ['b', 'static', 'True', '3d'], object: { kind: 'ProxyBackend' } }]);
    const bare = await bodyOf(agent().get(`${BACKENDS}?includeObject=None`).set('accept', accept).expect(200));
    expect(at(bare, 'rows', '0')).not.toHaveProperty('object');
  });

  test('only what every object has', async () => {
    const only = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const body = await bodyOf(agent().get(CONFIG_MAPS).set('accept', only).expect(200));
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ kind: 'PartialObjectMetadata' }, {}] });
    expect(at(body, 'items', '0')).not.toHaveProperty('data');
  });
});
