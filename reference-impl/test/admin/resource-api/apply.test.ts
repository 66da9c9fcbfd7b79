import request from 'supertest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiServer, backend, BACKENDS, createApiServer, gateway, at, bodyOf } from './api-server.ts';

let api: ApiServer;
beforeEach(() => {
  api = createApiServer();
});
afterEach(() => api.admin.close());

const GATEWAYS = '/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways';

function apply(path: string, manager: string, object: object, more = '') {
  return request(api.admin.http)
    .patch(`${path}?fieldManager=${manager}${more}`)
    .set('content-type', 'application/apply-patch+yaml')
    .send(JSON.stringify(object));
}

function withListeners(...listeners: object[]): object {
  return { ...gateway('gw'), spec: { gatewayClassName: 'refproxy', listeners } };
}

test('creates, changes nothing the second time, and removes what is no longer applied', async () => {
  const labelled = { ...backend('b'), metadata: { name: 'b', labels: { a: '1', b: '2' } } };
  const created = await bodyOf(apply(`${BACKENDS}/b`, 'me', labelled).expect(201));
  expect(at(created, 'metadata', 'managedFields')).toMatchObject([
    {
      manager: 'me',
      operation: 'Apply',
      apiVersion: 'proxy.example/v1alpha1',
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': { 'f:labels': { 'f:a': {}, 'f:b': {} } },
        'f:spec': { 'f:static': { 'f:host': {}, 'f:port': {} } },
      },
    },
  ]);
  await apply(`${BACKENDS}/b`, 'me', labelled).expect(200, created);
  const body = await bodyOf(
    apply(`${BACKENDS}/b`, 'me', {
      ...labelled,
      metadata: { name: 'b', labels: { a: '1' } },
    }).expect(200),
  );
  expect(at(body, 'metadata', 'labels')).toEqual({ a: '1' });
  const none = await bodyOf(apply(`${BACKENDS}/b`, 'me', backend('b')).expect(200));
  expect(at(none, 'metadata')).not.toHaveProperty('labels');
});

test('another value of another manager is a conflict, unless forced', async () => {
  await apply(`${BACKENDS}/b`, 'one', backend('b', 1)).expect(201);
  const body = await bodyOf(apply(`${BACKENDS}/b`, 'two', backend('b', 2)).expect(409));
  expect(body).toMatchObject({
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict: conflict with "one" using proxy.example/v1alpha1: .spec.static.port',
    details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.static.port' }] },
  });
  const forced = await bodyOf(apply(`${BACKENDS}/b`, 'two', backend('b', 2), '&force=true').expect(200));
  expect(at(forced, 'spec', 'static', 'port')).toBe(2);
  expect(at(forced, 'metadata', 'managedFields')).toMatchObject([
    { manager: 'one', fieldsV1: { 'f:spec': { 'f:static': { 'f:host': {} } } } },
    { manager: 'two', fieldsV1: { 'f:spec': { 'f:static': { 'f:host': {}, 'f:port': {} } } } },
  ]);
  expect(at(forced, 'metadata', 'managedFields', '0', 'fieldsV1', 'f:spec', 'f:static')).not.toHaveProperty('f:port');
});

test('the same value has two owners, and stays until both let go', async () => {
  const shared = { ...backend('b'), metadata: { name: 'b', labels: { a: '1' } } };
  await apply(`${BACKENDS}/b`, 'one', shared).expect(201);
  await apply(`${BACKENDS}/b`, 'two', shared).expect(200);
  const kept = await bodyOf(apply(`${BACKENDS}/b`, 'one', backend('b')).expect(200));
  expect(at(kept, 'metadata', 'labels')).toEqual({ a: '1' });
  const gone = await bodyOf(apply(`${BACKENDS}/b`, 'two', backend('b')).expect(200));
  expect(at(gone, 'metadata')).not.toHaveProperty('labels');
});

test('listeners are owned one by one', async () => {
  const [http, https] = [
    { name: 'http', port: 80, protocol: 'HTTP' },
    { name: 'admin', port: 81, protocol: 'HTTP' },
  ];
  await apply(`${GATEWAYS}/gw`, 'one', withListeners(http)).expect(201);
  const both = await bodyOf(apply(`${GATEWAYS}/gw`, 'two', withListeners(https)).expect(200));
  expect(at(both, 'spec', 'listeners')).toEqual([http, https]);
  expect(at(both, 'metadata', 'managedFields', '1', 'fieldsV1', 'f:spec', 'f:listeners')).toEqual({
    'k:{"name":"admin"}': { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {} },
  });
  const body = await bodyOf(apply(`${GATEWAYS}/gw`, 'two', withListeners({ ...http, port: 82 })).expect(409));
  expect(at(body, 'details', 'causes')).toMatchObject([{ field: '.spec.listeners[name="http"].port' }]);
  const one = await bodyOf(apply(`${GATEWAYS}/gw`, 'two', withListeners(http)).expect(200));
  expect(at(one, 'spec', 'listeners')).toEqual([http]);
});

test('a plain update takes fields over', async () => {
  await apply(`${BACKENDS}/b`, 'one', backend('b', 1)).expect(201);
  await request(api.admin.http).put(`${BACKENDS}/b?fieldManager=editor`).send(backend('b', 2)).expect(200);
  const body = await bodyOf(apply(`${BACKENDS}/b`, 'one', backend('b', 1)).expect(409));
  expect(at(body, 'message')).toContain('conflict with "editor"');
});

test.each([
  ['no manager', '', backend('b'), 400],
  [
    'managedFields in the body',
    '?fieldManager=a',
    { ...backend('b'), metadata: { name: 'b', managedFields: [{}] } },
    400,
  ],
  ['another kind', '?fieldManager=a', { ...backend('b'), kind: 'ProxyModel' }, 400],
  ['another name', '?fieldManager=a', backend('c'), 400],
  ['what admission refuses', '?fieldManager=a', backend('b', 0), 422],
  ['an unknown field', '?fieldManager=a', { ...backend('b'), specs: {} }, 422],
])('%s', async (_, query, object, code) => {
  await request(api.admin.http)
    .patch(`${BACKENDS}/b${query}`)
    .set('content-type', 'application/apply-patch+yaml')
    .send(JSON.stringify(object))
    .expect(code);
  expect(api.store.snapshot().resources.size).toBe(0);
});

test('a dry run, and an old version', async () => {
  await apply(`${BACKENDS}/b`, 'one', backend('b'), '&dryRun=All').expect(201);
  expect(api.store.snapshot().resources.size).toBe(0);
  await apply(`${BACKENDS}/b`, 'one', backend('b')).expect(201);
  const old = { ...backend('b', 1), metadata: { name: 'b', resourceVersion: '1' } };
  await apply(`${BACKENDS}/b`, 'one', old).expect(409);
});

test('managers of the client are understood as far as they make sense', async () => {
  await apply(`${BACKENDS}/b`, 'one', backend('b')).expect(201);
  const managedFields = [1, {}, { manager: 'x', operation: 'Apply', fieldsV1: { 'f:spec': { 'q:x': {} } } }];
  const refused = await bodyOf(
    request(api.admin.http)
      .put(`${BACKENDS}/b`)
      .send({ ...backend('b'), metadata: { name: 'b', managedFields } })
      .expect(200),
  );
  expect(at(refused, 'metadata')).not.toHaveProperty('managedFields');
});
