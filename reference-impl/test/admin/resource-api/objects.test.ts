import request from 'supertest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ApiServer,
  backend,
  BACKENDS,
  CONFIG_MAPS,
  configMap,
  createApiServer,
  gateway,
  namespace,
  POLICIES,
  SECRETS,
  at,
  bodyOf,
  fieldsAt,
  listAt,
  textLike,
  listWith,
  objectWith,
} from './api-server.ts';

let api: ApiServer;
beforeEach(() => {
  api = createApiServer();
});
afterEach(() => api.admin.close());

const agent = () => request(api.admin.http);

describe('discovery', () => {
  test('groups, versions and resources', async () => {
    await agent()
      .get('/api')
      .expect(200, { kind: 'APIVersions', versions: ['v1'] });
    const groups = await bodyOf(agent().get('/apis').expect(200));
    expect(groups).toMatchObject({
      kind: 'APIGroupList',
      groups: listWith(
        objectWith({
          name: 'proxy.example',
          preferredVersion: { groupVersion: 'proxy.example/v1alpha1', version: 'v1alpha1' },
        }),
        objectWith({
          name: 'gateway.networking.k8s.io',
          versions: [
            { groupVersion: 'gateway.networking.k8s.io/v1', version: 'v1' },
            { groupVersion: 'gateway.networking.k8s.io/v1beta1', version: 'v1beta1' },
          ],
        }),
      ),
    });
    await agent().get('/apis/proxy.example').expect(200);
    const resources = await bodyOf(agent().get('/apis/proxy.example/v1alpha1').expect(200));
    expect(at(resources, 'resources')).toContainEqual({
      name: 'proxypolicies',
      singularName: 'proxypolicy',
      namespaced: true,
      kind: 'ProxyPolicy',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      categories: ['proxy'],
    });
    const version = await bodyOf(agent().get('/version').expect(200));
    expect(at(version, 'major')).toBe('1');
  });

  test('schemas of every group version, with the options of a patch', async () => {
    const body = await bodyOf(agent().get('/openapi/v3').expect(200));
    for (const entry of Object.values(fieldsAt(body, 'paths'))) {
      // One after the other: the schemas are made when they are first asked for.
      const document = await bodyOf(
        agent()
          .get(String(at(entry, 'serverRelativeURL')))
          .expect(200),
      );
      for (const schema of Object.values(fieldsAt(document, 'components', 'schemas'))) {
        expect(schema).toHaveProperty(['x-kubernetes-group-version-kind', 0, 'kind']);
        expect(schema).toHaveProperty('properties.metadata.properties.name.type', 'string');
        expect(JSON.stringify(schema)).not.toContain('$ref');
      }
    }
    const ours = await bodyOf(agent().get('/openapi/v3/apis/proxy.example/v1alpha1'));
    const path = '/apis/proxy.example/v1alpha1/namespaces/{namespace}/proxypolicies/{name}';
    const names = listAt(ours, 'paths', path, 'patch', 'parameters').map((parameter) => at(parameter, 'name'));
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    const policy = at(ours, 'components', 'schemas', 'example.proxy.v1alpha1.ProxyPolicy');
    expect(policy).toHaveProperty('properties.spec.properties.traffic.properties.timeouts.properties.request');
  });

  test('the older format is there for those who can read it', async () => {
    await agent().get('/openapi/v2').expect(406);
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const response = await agent().get('/openapi/v2').set('accept', accept).expect(200);
    expect(response.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  });

  test.each(['/apis/none', '/apis/proxy.example/v9', '/api/v2', '/openapi/v3/apis/none/v1', '/openapi', '/version/x'])(
    '%s is not there',
    async (path) => {
      const body = await bodyOf(agent().get(path).expect(404));
      expect(body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 });
    },
  );
});

describe('one object', () => {
  test('is created with uid, version, times and status, and read again', async () => {
    const created = await bodyOf(agent().post(BACKENDS).send(backend('b')).expect(201));
    expect(created).toMatchObject({
      metadata: {
        name: 'b',
        namespace: 'default',
        uid: textLike(/^[0-9a-f-]{36}$/),
        resourceVersion: textLike(/^\d+$/),
        generation: 1,
        creationTimestamp: '2023-11-14T22:13:20.000Z',
      },
      status: {
        conditions: [{ type: 'Accepted', status: 'True', lastTransitionTime: '2023-11-14T22:13:20.000Z' }],
      },
    });
    await agent().get(`${BACKENDS}/b`).expect(200, created);
    await agent().get(`${BACKENDS}/b/status`).expect(200, created);
    expect(api.store.snapshot().get('ProxyBackend', 'default', 'b')?.spec.static).toMatchObject({ port: 8000 });
  });

  test('gets the rest of a name it only began', async () => {
    const { name: _, ...metadata } = { name: '', generateName: 'cm-' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const body = await bodyOf(agent().post(CONFIG_MAPS).send(object).expect(201));
    expect(at(body, 'metadata', 'name')).toMatch(/^cm-[a-z0-9]{5}$/);
    expect(at(body, 'metadata')).not.toHaveProperty('generateName');
  });

  test('is answered when its configuration is in force, not before', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    api.hold(() => promise);
    const answered: string[] = [];
    const pending = agent()
      .post(BACKENDS)
      .send(backend('b'))
      .then(({ status }) => answered.push(`answered ${status}`));
    await expect.poll(() => api.store.snapshot().resources.size).toBe(1);
    await agent().get(`${BACKENDS}/b`).expect(200);
    answered.push('released');
    resolve();
    await pending;
    expect(answered).toEqual(['released', 'answered 201']);
  });

  test('is replaced; the generation counts changes outside metadata only', async () => {
    const first = await bodyOf(agent().post(BACKENDS).send(backend('b')).expect(201));
    const changed = { ...first, spec: { static: { host: '127.0.0.1', port: 9 } } };
    const second = await bodyOf(agent().put(`${BACKENDS}/b`).send(changed).expect(200));
    expect(at(second, 'metadata')).toMatchObject({ uid: at(first, 'metadata', 'uid'), generation: 2 });
    expect(Number(at(second, 'metadata', 'resourceVersion'))).toBeGreaterThan(
      Number(at(first, 'metadata', 'resourceVersion')),
    );
    const labelled = { ...second, metadata: { ...fieldsAt(second, 'metadata'), labels: { a: 'b' } } };
    const third = await bodyOf(agent().put(`${BACKENDS}/b`).send(labelled).expect(200));
    expect(at(third, 'metadata', 'generation')).toBe(2);
    expect(at(third, 'metadata', 'resourceVersion')).not.toBe(at(second, 'metadata', 'resourceVersion'));
    // The same again is no change.
    await agent().put(`${BACKENDS}/b`).send(third).expect(200, third);
  });

  test('is not replaced from an old version, nor under another uid', async () => {
    const first = await bodyOf(agent().post(CONFIG_MAPS).send(configMap('c')).expect(201));
    await agent()
      .put(`${CONFIG_MAPS}/c`)
      .send({ ...first, data: { a: '1' } })
      .expect(200);
    const body = await bodyOf(
      agent()
        .put(`${CONFIG_MAPS}/c`)
        .send({ ...first, data: { a: '2' } })
        .expect(409),
    );
    expect(body).toMatchObject({ reason: 'Conflict', details: { name: 'c', kind: 'configmaps' } });
    const stranger = configMap('c', {}, { uid: 'other' });
    await agent().put(`${CONFIG_MAPS}/c`).send(stranger).expect(409);
    // Without a version the last one wins.
    await agent()
      .put(`${CONFIG_MAPS}/c`)
      .send(configMap('c', { a: '3' }))
      .expect(200);
  });

  test('is deleted, with preconditions', async () => {
    const created = await bodyOf(agent().post(CONFIG_MAPS).send(configMap('c')).expect(201));
    await agent()
      .delete(`${CONFIG_MAPS}/c`)
      .send(deleteOptions({ uid: 'other' }))
      .expect(409);
    await agent()
      .delete(`${CONFIG_MAPS}/c`)
      .send(deleteOptions({ resourceVersion: '1' }))
      .expect(409);
    await agent()
      .delete(`${CONFIG_MAPS}/c`)
      .send({ dryRun: ['All'] })
      .expect(200);
    const uid = at(created, 'metadata', 'uid');
    const body = await bodyOf(agent().delete(`${CONFIG_MAPS}/c`).send(deleteOptions({ uid })).expect(200));
    expect(body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'c', kind: 'configmaps', uid } });
    await agent().get(`${CONFIG_MAPS}/c`).expect(404);
    await agent().delete(`${CONFIG_MAPS}/c`).expect(404);
  });

  test('the path says what an object is that does not say it, and a body without a type is JSON', async () => {
    const { metadata, spec } = fieldsAt({ backend: backend('b') }, 'backend');
    const body = await bodyOf(agent().post(BACKENDS).send({ metadata, spec, kind: '' }).expect(201));
    expect(body).toMatchObject({ kind: 'ProxyBackend', apiVersion: 'proxy.example/v1alpha1' });
    await agent().put(`${BACKENDS}/b`).send({ metadata, spec }).expect(200);
    await agent().put(`${BACKENDS}/b`).send({ metadata, spec, kind: 'ProxyPolicy' }).expect(400);
    const bytes = Buffer.from(JSON.stringify(backend('b', 9000)));
    await agent().put(`${BACKENDS}/b`).send(bytes).expect(200);
    await agent().put(`${BACKENDS}/b`).set('content-type', 'text/plain').send('{}').expect(415);
  });

  test('a dry run changes nothing and answers as if', async () => {
    const body = await bodyOf(agent().post(`${CONFIG_MAPS}?dryRun=All`).send(configMap('c')).expect(201));
    expect(at(body, 'metadata')).not.toHaveProperty('resourceVersion');
    await agent().get(`${CONFIG_MAPS}/c`).expect(404);
    await agent().post(`${BACKENDS}?dryRun=All`).send({}).expect(422);
    await agent().post(`${BACKENDS}?dryRun=Some`).send(backend('b')).expect(400);
  });
});

describe('refusals', () => {
  test('every violated rule at once, with its clause', async () => {
    const body = await bodyOf(
      agent()
        .post(POLICIES)
        .send({
          apiVersion: 'proxy.example/v1alpha1',
          kind: 'ProxyPolicy',
          metadata: { name: 'p' },
          spec: {
            targetRefs: [{ group: '', kind: 'Service', name: 's', sectionName: 'a', port: 1 }],
            trafic: {},
            traffic: { timeouts: { request: 'soon' } },
          },
        })
        .expect(422),
    );
    expect(body).toMatchObject({
      kind: 'Status',
      reason: 'Invalid',
      code: 422,
      details: { name: 'p', group: 'proxy.example', kind: 'ProxyPolicy' },
    });
    const causes = listAt(body, 'details', 'causes');
    expect(causes).toEqual(
      listWith(
        objectWith({
          field: 'spec.trafic',
          reason: 'FieldValueForbidden',
          message: textLike('did you mean "traffic"?'),
        }),
        objectWith({ field: 'spec.targetRefs[0]', message: textLike(/\[ADMIT-066\]$/) }),
        objectWith({ field: 'spec.traffic.timeouts.request' }),
      ),
    );
    for (const cause of causes) expect(at(body, 'message')).toContain(at(cause, 'field'));
    await agent().get(`${POLICIES}/p`).expect(404);
  });

  test('unknown fields: refused, told or dropped', async () => {
    const object = { ...configMap('c'), dataa: {} };
    await agent().post(CONFIG_MAPS).send(object).expect(422);
    const warned = await agent().post(`${CONFIG_MAPS}?fieldValidation=Warn`).send(object).expect(201);
    expect(warned.headers['warning']).toMatch(/^299 - "dataa: unknown field \\"dataa\\"; did you mean \\"data\\"\?/);
    expect(warned.body).not.toHaveProperty('dataa');
    await agent().delete(`${CONFIG_MAPS}/c`).expect(200);
    const silent = await agent().post(`${CONFIG_MAPS}?fieldValidation=Ignore`).send(object).expect(201);
    expect(silent.headers).not.toHaveProperty('warning');
    await agent().post(`${CONFIG_MAPS}?fieldValidation=Maybe`).send(object).expect(400);
  });

  test('an expression that does not compile is a warning', async () => {
    const { headers } = await agent()
      .post(POLICIES)
      .send({
        apiVersion: 'proxy.example/v1alpha1',
        kind: 'ProxyPolicy',
        metadata: { name: 'p' },
        spec: {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gw' }],
          traffic: { authorization: { action: 'Allow', policy: { matchExpressions: ['request.path =='] } } },
        },
      })
      .expect(201);
    expect(headers['warning']).toContain('invalid expression: 1:');
  });

  test.each([
    ['a body that is no JSON', 'application/json', '{', 400, 'BadRequest'],
    ['a repeated key', 'application/json', '{"kind":"a","kind":"b"}', 400, 'BadRequest'],
    ['a list', 'application/json', '[]', 400, 'BadRequest'],
    ['a number', 'application/json', '1', 400, 'BadRequest'],
    ['nothing', 'application/json', '', 400, 'BadRequest'],
    ['what is nested too deep', 'application/json', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`, 400, 'BadRequest'],
    ['a prototype', 'application/json', '{"__proto__":{}}', 400, 'BadRequest'],
    ['another kind', 'application/json', JSON.stringify(namespace('c')), 400, 'BadRequest'],
    [
      'another namespace',
      'application/json',
      JSON.stringify(configMap('c', {}, { namespace: 'x' })),
      400,
      'BadRequest',
    ],
    ['a version', 'application/json', JSON.stringify(configMap('c', {}, { resourceVersion: '1' })), 400, 'BadRequest'],
    ['no name', 'application/json', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}', 422, 'Invalid'],
    ['a bad name', 'application/json', JSON.stringify(configMap('C_')), 422, 'Invalid'],
    ['text', 'text/plain', JSON.stringify(configMap('c')), 415, 'UnsupportedMediaType'],
    ['a form', 'application/x-www-form-urlencoded', 'a=b', 415, 'UnsupportedMediaType'],
    ['broken binary', 'application/vnd.kubernetes.protobuf', 'k8s', 400, 'BadRequest'],
  ])('%s', async (_, type, body, code, reason) => {
    const response = await agent().post(CONFIG_MAPS).set('content-type', type).send(body).expect(code);
    expect(response.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code });
    expect(api.store.snapshot().resources.size).toBe(0);
  });

  test('YAML is taken as well', async () => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: b\n';
    await agent().post(CONFIG_MAPS).set('content-type', 'application/yaml').send(yaml).expect(201);
  });

  test('a body of more than 4 MiB, or packed', async () => {
    const big = JSON.stringify(configMap('c', { a: 'x'.repeat(4 * 1024 * 1024) }));
    const body = await bodyOf(agent().post(CONFIG_MAPS).set('content-type', 'application/json').send(big).expect(413));
    expect(at(body, 'reason')).toBe('RequestEntityTooLarge');
    await agent().post(CONFIG_MAPS).set('content-encoding', 'gzip').send({}).expect(415);
  });

  test('the same name twice, a name that is not there, a namespace that is not there', async () => {
    await agent().post(CONFIG_MAPS).send(configMap('c')).expect(201);
    const body = await bodyOf(agent().post(CONFIG_MAPS).send(configMap('c')).expect(409));
    expect(body).toMatchObject({ reason: 'AlreadyExists', message: 'configmaps "c" already exists' });
    await agent().put(`${CONFIG_MAPS}/d`).send(configMap('d')).expect(404);
    await agent().put(`${CONFIG_MAPS}/c`).send(configMap('d')).expect(400);
    const nowhere = await bodyOf(
      agent().post('/api/v1/namespaces/nowhere/configmaps').send(configMap('c')).expect(404),
    );
    expect(at(nowhere, 'message')).toBe('namespaces "nowhere" not found');
  });

  test.each([
    ['POST', `${CONFIG_MAPS}/c`, 'GET, PUT, PATCH, DELETE'],
    ['PUT', CONFIG_MAPS, 'GET, POST, DELETE'],
    ['PUT', `${CONFIG_MAPS}/c/status`, 'GET'],
    ['PATCH', `${CONFIG_MAPS}/c/status`, 'GET'],
    ['POST', '/api/v1/configmaps', 'GET'],
    ['DELETE', '/apis', 'GET'],
  ])('%s %s is 405', async (method, path, allow) => {
    const call = method === 'POST' ? agent().post(path) : method === 'PUT' ? agent().put(path) : agent().delete(path);
    const { text, headers } = await (method === 'PATCH' ? agent().patch(path) : call).send({}).expect(405);
    expect(at(JSON.parse(text), 'reason')).toBe('MethodNotAllowed');
    expect(headers['allow']).toBe(allow);
  });

  test.each([
    '/api/v1/namespaces/default/nothing',
    '/api/v1/nothing/x',
    '/apis/proxy.example/v1alpha1/namespaces/default/gateways',
    '/apis/gateway.networking.k8s.io/v1/namespaces/default/gatewayclasses',
    `${CONFIG_MAPS}/c/scale`,
    `${CONFIG_MAPS}/c/status/x`,
    '/api/v1/namespaces/%/configmaps',
    '/api/v1//configmaps',
    '/apis/constructor/v1/x',
  ])('%s is not there', async (path) => {
    const body = await bodyOf(agent().get(path).expect(404));
    expect(body).toMatchObject({ kind: 'Status', reason: 'NotFound' });
  });

  test.each([
    [{ host: 'evil.test' }, 403],
    [{ origin: 'http://evil.test' }, 403],
    [{ host: 'localhost:15000' }, 200],
  ])('a caller with %j: %d', async (headers, code) => {
    await agent().get('/api').set(headers).expect(code);
  });
});

describe('objects of files', () => {
  beforeEach(() => {
    api.file('/etc/proxy/a.yaml', gateway('gw', 'files'));
  });
  const GATEWAYS = '/apis/gateway.networking.k8s.io/v1/namespaces/files/gateways';

  test('are shown, with a uid that stays', async () => {
    const body = await bodyOf(agent().get(`${GATEWAYS}/gw`).expect(200));
    expect(at(body, 'metadata', 'uid')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(body).toMatchObject({ status: { conditions: [{ type: 'Accepted' }, { type: 'Programmed' }] } });
    api.file('/etc/proxy/a.yaml', gateway('gw', 'files', 3001));
    const changed = await bodyOf(agent().get(`${GATEWAYS}/gw`).expect(200));
    expect(at(changed, 'metadata', 'uid')).toBe(at(body, 'metadata', 'uid'));
    expect(at(changed, 'status', 'conditions', '0', 'lastTransitionTime')).toBe(
      at(body, 'status', 'conditions', '0', 'lastTransitionTime'),
    );
  });

  test('cannot be written here, and the answer names the file', async () => {
    const twice = await bodyOf(agent().post(GATEWAYS).send(gateway('gw', 'files')).expect(409));
    expect(twice).toMatchObject({ reason: 'AlreadyExists', message: textLike('/etc/proxy/a.yaml') });
    const calls = [
      agent()
        .put(`${GATEWAYS}/gw`)
        .send(gateway('gw', 'files', 3001)),
      agent().patch(`${GATEWAYS}/gw`).set('content-type', 'application/merge-patch+json').send('{"spec":{}}'),
      agent().delete(`${GATEWAYS}/gw`),
      agent().delete('/api/v1/namespaces/files'),
    ];
    for (const { body, status } of await Promise.all(calls)) {
      expect(status).toBe(409);
      expect(body).toMatchObject({ reason: 'Conflict', message: textLike('/etc/proxy/a.yaml') });
    }
  });

  test('make their namespace, which is gone with them', async () => {
    const names = async (): Promise<unknown[]> => {
      const body = await bodyOf(agent().get('/api/v1/namespaces').expect(200));
      return listAt(body, 'items').map((item) => at(item, 'metadata', 'name'));
    };
    expect(await names()).toEqual(['default', 'files']);
    await agent().post('/api/v1/namespaces/files/configmaps').send(configMap('c')).expect(201);
    await agent().delete('/api/v1/namespaces/files/configmaps/c').expect(200);
    api.file('/etc/proxy/a.yaml');
    expect(await names()).toEqual(['default']);
  });

  test('a file that brings an object the API has does not get it', async () => {
    await agent().post(BACKENDS).send(backend('b', 1)).expect(201);
    const key = 'ProxyBackend.proxy.example/default/b';
    api.file('/etc/proxy/b.yaml', backend('b', 2));
    expect(api.store.snapshot().get('ProxyBackend', 'default', 'b')?.spec.static?.port).toBe(1);
    expect(api.store.sourceOf(key)).toBe('the resource API');
    await agent().delete(`${BACKENDS}/b`).expect(200);
    expect(api.store.sourceOf(key)).toBe('/etc/proxy/b.yaml');
  });
});

describe('namespaces', () => {
  test('are created, and deleted with everything in them as one change', async () => {
    await agent().post('/api/v1/namespaces').send(namespace('n')).expect(201);
    await agent().post('/api/v1/namespaces').send(namespace('n')).expect(409);
    await agent().post('/api/v1/namespaces/n/configmaps').send(configMap('a')).expect(201);
    await agent().post('/api/v1/namespaces/n/configmaps').send(configMap('b')).expect(201);
    const { generation } = api.store.snapshot();
    await agent().delete('/api/v1/namespaces/n').expect(200);
    expect(api.store.snapshot()).toMatchObject({ generation: generation + 1 });
    expect(api.store.snapshot().resources.size).toBe(0);
    await agent().get('/api/v1/namespaces/n').expect(404);
  });

  test('default is always there', async () => {
    const body = await bodyOf(agent().get('/api/v1/namespaces/default').expect(200));
    expect(body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'default' } },
      status: { phase: 'Active' },
    });
    await agent().delete('/api/v1/namespaces/default').expect(403);
    await agent().delete('/api/v1/namespaces').expect(405);
  });
});

describe('credentials', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'hidden-value' } },
    stringData: { token: 'hidden-value' },
  };
  const hidden = Buffer.from('hidden-value').toString('base64');

  test('of a Secret are shown by name, and nowhere else', async () => {
    const created = await bodyOf(agent().post(SECRETS).send(secret).expect(201));
    expect(at(created, 'data')).toEqual({ token: hidden });
    expect(created).not.toHaveProperty('stringData');
    await agent().get(`${SECRETS}/s`).expect(200, created);
    const texts = await Promise.all(
      [SECRETS, '/api/v1/secrets', `${SECRETS}?fieldSelector=metadata.name=s`, '/config_dump'].map(async (path) => {
        const { text } = await agent().get(path).expect(200);
        expect(text).toContain('token');
        return text;
      }),
    );
    const { text: table } = await agent().get(SECRETS).set('accept', TABLE).expect(200);
    for (const text of [...texts, table]) {
      expect(text).not.toContain('hidden-value');
      expect(text).not.toContain(hidden);
    }
  });

  test('of a policy are hidden in lists; the placeholder is refused when it comes back', async () => {
    const withKey = {
      ...backend('b'),
      spec: { static: { host: 'a.test', port: 1 }, policies: { auth: { key: 'hidden-value' } } },
    };
    await agent().post(BACKENDS).send(withKey).expect(201);
    const list = await bodyOf(agent().get(BACKENDS).expect(200));
    expect(JSON.stringify(list)).not.toContain('hidden-value');
    const body = await bodyOf(
      agent()
        .put(`${BACKENDS}/b`)
        .send({ ...fieldsAt(list, 'items', '0'), metadata: { name: 'b' } })
        .expect(422),
    );
    expect(at(body, 'details', 'causes')).toMatchObject([{ field: 'spec.policies.auth.key' }]);

    await agent().post(SECRETS).send(secret).expect(201);
    const secrets = await bodyOf(agent().get(SECRETS).expect(200));
    await agent()
      .put(`${SECRETS}/s`)
      .send(fieldsAt(secrets, 'items', '0'))
      .expect(422);
  });
});

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

test('an unexpected failure is a 500 and a line in the log', async () => {
  api.hold(() => Promise.reject(new Error('broken')));
  const body = await bodyOf(agent().post(CONFIG_MAPS).send(configMap('c')).expect(500));
  expect(body).toMatchObject({ kind: 'Status', reason: 'InternalError' });
  expect(api.logged).toHaveLength(1);
});

function deleteOptions(preconditions: object): object {
  return { kind: 'DeleteOptions', apiVersion: 'v1', preconditions };
}
