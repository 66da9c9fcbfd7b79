import request from 'supertest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonPatch } from '../../../admin/resource-api/patch/json-patch.ts';
import { mergePatch } from '../../../admin/resource-api/patch/merge-patch.ts';
import { strategicMergePatch } from '../../../admin/resource-api/patch/strategic-merge-patch.ts';
import type { Fields } from '../../../resources/groups.ts';
import {
  type ApiServer,
  backend,
  BACKENDS,
  CONFIG_MAPS,
  configMap,
  createApiServer,
  SERVICES,
  at,
  bodyOf,
  listAt,
  textLike,
} from './api-server.ts';

describe('JSON merge patch (the table of RFC 7396)', () => {
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j patched by %j is %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });
});

describe('JSON patch (RFC 6902)', () => {
  test.each<[object, object[], unknown]>([
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
    [{ foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: ['abc'] }], { foo: ['bar', ['abc']] }],
    [{ baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [{ foo: ['bar', 'qux', 'baz'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['bar', 'baz'] }],
    [{ baz: 'qux' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
    [
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [{ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    [{ '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [{ foo: 'bar' }, [{ op: 'add', path: '/child', value: { a: {} }, xyz: 1 }], { foo: 'bar', child: { a: {} } }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
  ])('%j with %j is %j', (document, operations, result) => {
    const before = structuredClone(document);
    expect(jsonPatch(document, operations)).toEqual({ value: result });
    expect(document).toEqual(before);
  });

  test.each<[object, object]>([
    [{ baz: 'qux' }, { op: 'test', path: '/baz', value: 'bar' }],
    [{ foo: 'bar' }, { op: 'add', path: '/baz/bat', value: 'qux' }],
    [{ foo: [] }, { op: 'add', path: '/foo/1', value: 1 }],
    [{ foo: [1] }, { op: 'remove', path: '/foo/01' }],
    [{ foo: [1] }, { op: 'replace', path: '/foo/-', value: 1 }],
    [{ foo: 1 }, { op: 'remove', path: '/bar' }],
    [{ foo: 1 }, { op: 'replace', path: '/toString', value: 1 }],
    [{ foo: 1 }, { op: 'remove', path: '' }],
    [{ foo: { a: 1 } }, { op: 'move', from: '/foo', path: '/foo/a/b' }],
    [{ foo: 1 }, { op: 'copy', from: '/bar', path: '/baz' }],
  ])('%j does not fit %j', (document, operation) => {
    expect(jsonPatch(document, [operation])).toHaveProperty('failed');
  });

  test.each([
    [[1]],
    [[{ op: 'toString', path: '/a' }]],
    [[{ op: 'add', path: '/a' }]],
    [[{ op: 'add', path: 'a', value: 1 }]],
    [[{ op: 'add', path: '/~2', value: 1 }]],
    [[{ op: 'copy', path: '/a' }]],
    [Array.from({ length: 10_001 }, () => ({ op: 'test', path: '', value: 1 }))],
  ])('%j is no patch', (operations) => {
    expect(jsonPatch({}, operations)).toHaveProperty('refused');
  });

  test('copies of copies are bounded', () => {
    const operations = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(jsonPatch({ a: [1] }, operations)).toEqual({ refused: textLike('copies too much') });
  });
});

describe('strategic merge patch', () => {
  const service = {
    spec: {
      type: 'ClusterIP',
      ports: [
        { name: 'a', port: 80, protocol: 'TCP' },
        { name: 'b', port: 81 },
      ],
    },
  };

  test.each<[string, Fields, readonly Fields[]]>([
    [
      'items are merged by key',
      { spec: { ports: [{ port: 81, name: 'z' }] } },
      [
        { name: 'a', port: 80, protocol: 'TCP' },
        { name: 'z', port: 81 },
      ],
    ],
    [
      'items of the patch come first where nothing says otherwise',
      { spec: { ports: [{ port: 82 }] } },
      [{ port: 82 }, { name: 'a', port: 80, protocol: 'TCP' }, { name: 'b', port: 81 }],
    ],
    ['items are deleted by key', { spec: { ports: [{ $patch: 'delete', port: 80 }] } }, [{ name: 'b', port: 81 }]],
    ['a list is replaced', { spec: { ports: [{ port: 9 }, { $patch: 'replace' }] } }, [{ port: 9 }]],
    [
      'an order is followed',
      { spec: { '$setElementOrder/ports': [{ port: 81 }, { port: 80 }] } },
      [
        { name: 'b', port: 81 },
        { name: 'a', port: 80, protocol: 'TCP' },
      ],
    ],
  ])('%s', (_, patch, ports) => {
    expect(strategicMergePatch('Service', service, patch)).toEqual({ value: { spec: { type: 'ClusterIP', ports } } });
  });

  test('directives for maps and plain lists', () => {
    const target = { metadata: { finalizers: ['a', 'b'], labels: { x: '1', y: '2' } }, data: { k: 'v', l: 'w' } };
    const patch = (value: Fields) => strategicMergePatch('ConfigMap', target, value);
    expect(patch({ data: { $patch: 'replace', m: 'x' } })).toHaveProperty('value.data', { m: 'x' });
    expect(patch({ data: { $patch: 'delete' } })).toHaveProperty('value.data', {});
    expect(patch({ data: { $retainKeys: ['l', 'n'], n: 'o' } })).toHaveProperty('value.data', { l: 'w', n: 'o' });
    expect(patch({ data: { k: null } })).toHaveProperty('value.data', { l: 'w' });
    expect(patch({ metadata: { finalizers: ['b', 'c'] } })).toHaveProperty('value.metadata.finalizers', [
      'a',
      'b',
      'c',
    ]);
    expect(patch({ metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } })).toHaveProperty(
      'value.metadata.finalizers',
      ['b'],
    );
  });
});

test.each<[Fields, string]>([
  [{ data: { $patch: 'merge' } }, 'data: $patch is delete or replace, not "merge"'],
  [{ data: { '$setElementOrder/k': ['a'] } }, 'data.$setElementOrder/k: is no directive, or not one for a list'],
  [{ metadata: { ownerReferences: [{ name: 'a' }] } }, 'metadata.ownerReferences: an item of this list needs uid'],
])('%j is refused with its place', (patch, why) => {
  const target = { metadata: { name: 'c' }, data: { k: 'v' } };
  expect(strategicMergePatch('ConfigMap', target, patch)).toEqual({ refused: textLike(why) });
});

describe('PATCH', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = createApiServer();
    await request(api.admin.http).post(BACKENDS).send(backend('b')).expect(201);
  });
  afterEach(() => api.admin.close());
  const patch = (path: string, type: string, body: string) =>
    request(api.admin.http).patch(path).set('content-type', type).send(body);
  const MERGE = 'application/merge-patch+json';
  const JSON_PATCH = 'application/json-patch+json';
  const STRATEGIC = 'application/strategic-merge-patch+json';

  test('merges', async () => {
    const body = await bodyOf(patch(`${BACKENDS}/b`, MERGE, '{"spec":{"static":{"port":1}}}').expect(200));
    expect(body).toMatchObject({ spec: { static: { host: '127.0.0.1', port: 1 } }, metadata: { generation: 2 } });
    await patch(`${BACKENDS}/b`, MERGE, '{"spec":{"static":{"port":0}}}').expect(422);
    await patch(`${BACKENDS}/b`, MERGE, '{"spec":null}').expect(422);
    await patch(`${BACKENDS}/b`, MERGE, '{"metadata":{"resourceVersion":"1"}}').expect(409);
    await patch(`${BACKENDS}/b`, MERGE, '{"metadata":{"name":"c"}}').expect(400);
    await patch(`${BACKENDS}/b`, MERGE, '{"kind":"ConfigMap"}').expect(400);
    await patch(`${BACKENDS}/b`, MERGE, '[]').expect(400);
    await patch(`${BACKENDS}/c`, MERGE, '{}').expect(404);
    const status = await bodyOf(patch(`${BACKENDS}/b`, MERGE, '{"status":{"conditions":[]}}').expect(200));
    expect(at(status, 'status', 'conditions')).toHaveLength(1);
  });

  test('operates', async () => {
    const replace = { op: 'replace', path: '/spec/static/port', value: 2 };
    const expected = { op: 'test', path: '/spec/static/port', value: 8000 };
    const body = await bodyOf(patch(`${BACKENDS}/b`, JSON_PATCH, JSON.stringify([expected, replace])).expect(200));
    expect(at(body, 'spec', 'static', 'port')).toBe(2);
    await patch(`${BACKENDS}/b`, JSON_PATCH, JSON.stringify([expected, replace])).expect(422);
    await patch(`${BACKENDS}/b`, JSON_PATCH, '{}').expect(400);
    await patch(`${BACKENDS}/b`, JSON_PATCH, '[').expect(400);
    await patch(`${BACKENDS}/b`, JSON_PATCH, JSON.stringify([{ op: 'replace', path: '', value: 1 }])).expect(400);
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`);
    const nest = ['/spec/x', `/spec/x${'/a'.repeat(30)}/b`].map((path) => ({ op: 'add', path, value: deep }));
    await patch(`${BACKENDS}/b`, JSON_PATCH, JSON.stringify([...nest])).expect(400);
  });

  test('strategic patches are for built-in kinds', async () => {
    const body = await bodyOf(patch(`${BACKENDS}/b`, STRATEGIC, '{}').expect(415));
    expect(at(body, 'message')).not.toContain('strategic');
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }, { port: 81 }] },
    };
    await request(api.admin.http).post(SERVICES).send(service).expect(201);
    const merged = await bodyOf(
      patch(`${SERVICES}/s`, STRATEGIC, '{"spec":{"ports":[{"port":81,"name":"x"}]}}').expect(200),
    );
    expect(at(merged, 'spec', 'ports')).toEqual([{ port: 80 }, { port: 81, name: 'x' }]);
    const wrong = await bodyOf(patch(`${SERVICES}/s`, STRATEGIC, '{"spec":{"$patch":"merge"}}').expect(400));
    expect(at(wrong, 'message')).toContain('spec: $patch is delete or replace');
    await patch(`${SERVICES}/s`, 'application/json', '{}').expect(415);
  });

  test('a dry run leaves everything as it is', async () => {
    const body = await bodyOf(patch(`${BACKENDS}/b?dryRun=All`, MERGE, '{"spec":{"static":{"port":1}}}').expect(200));
    expect(at(body, 'spec', 'static', 'port')).toBe(1);
    const after = await bodyOf(request(api.admin.http).get(`${BACKENDS}/b`).expect(200));
    expect(at(after, 'spec', 'static', 'port')).toBe(8000);
  });

  test('the members a client wrote are told from those of others', async () => {
    await request(api.admin.http)
      .post(`${CONFIG_MAPS}?fieldManager=one`)
      .send(configMap('c', { a: '1', b: '1' }))
      .expect(201);
    const body = await bodyOf(
      patch(`${CONFIG_MAPS}/c?fieldManager=two`, MERGE, '{"data":{"b":"2","c":"2"}}').expect(200),
    );
    expect(at(body, 'metadata', 'managedFields')).toMatchObject([
      { manager: 'one', operation: 'Update', fieldsV1: { 'f:data': { 'f:a': {} } } },
      { manager: 'two', operation: 'Update', fieldsV1: { 'f:data': { 'f:b': {}, 'f:c': {} } } },
    ]);
    expect(at(body, 'metadata', 'managedFields', '0', 'fieldsV1', 'f:data')).not.toHaveProperty('f:b');
    const fewer = await bodyOf(patch(`${CONFIG_MAPS}/c?fieldManager=three`, MERGE, '{"data":{"a":null}}').expect(200));
    expect(listAt(fewer, 'metadata', 'managedFields').map((entry) => at(entry, 'manager'))).toEqual(['two']);
    await patch(`${CONFIG_MAPS}/c?fieldManager=%00`, MERGE, '{}').expect(400);
  });
});
