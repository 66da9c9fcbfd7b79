import { BinaryWriter } from '@bufbuild/protobuf/wire';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compileAhead } from '../../../admin/resource-api/compile-ahead.ts';
import { keyedItems } from '../../../admin/resource-api/field-paths.ts';
import { jsonPatch } from '../../../admin/resource-api/patch/json-patch.ts';
import { kindNamed } from '../../../admin/resource-api/served-kinds.ts';
import { inPatchOrder } from '../../../resources/merging/element-order.ts';
import {
  type ApiServer,
  at,
  bodyOf,
  CONFIG_MAPS,
  configMap,
  createApiServer,
  listAt,
  POLICIES,
  textLike,
} from './api-server.ts';

let api: ApiServer;
beforeEach(() => {
  api = createApiServer();
});
afterEach(() => api.admin.close());

const agent = () => request(api.admin.http);

/** As many members as asked for, from one number on. */
function members(count: number, first = 0): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${first + index}`, '']));
}

/** The object itself, `apiVersion`, `kind`, `metadata`, the name, `data`. */
const AROUND = 6;

describe('an object may have 10,000 values, however it is sent', () => {
  const largest = members(10_000 - AROUND);

  test('at the limit and one beyond, in JSON and YAML', async () => {
    await agent().post(CONFIG_MAPS).send(configMap('a', largest)).expect(201);
    const object = configMap('b', members(10_001 - AROUND));
    const body = await bodyOf(agent().post(CONFIG_MAPS).send(object).expect(413));
    expect(body).toMatchObject({ reason: 'RequestEntityTooLarge', message: textLike('10000 values') });
    const yaml = `l: [${'1,'.repeat(10_001)}]`;
    await agent().post(CONFIG_MAPS).type('application/yaml').send(yaml).expect(413);
  });

  test('in protobuf, read in the time of its bytes', { timeout: 20_000 }, async () => {
    const bytes = protobufConfigMap(40_000);
    const type = 'application/vnd.kubernetes.protobuf';
    await agent().post(CONFIG_MAPS).type(type).send(bytes).expect(413);
    await agent().post(CONFIG_MAPS).type(type).send(protobufConfigMap(2)).expect(201);
    expect(api.store.snapshot().get('ConfigMap', 'default', 'p')?.data).toEqual({ k0: 'v', k1: 'v' });
  });

  test('through patches, and through what several managers apply', async () => {
    await agent().post(CONFIG_MAPS).send(configMap('a', largest)).expect(201);
    const patch = (type: string, body: object, query = '') =>
      agent().patch(`${CONFIG_MAPS}/a${query}`).type(type).send(JSON.stringify(body));
    await patch('application/merge-patch+json', { data: { more: '' } }).expect(413);
    await patch('application/json-patch+json', [{ op: 'add', path: '/data/more', value: '' }]).expect(413);
    await patch('application/apply-patch+yaml', configMap('a', { more: '' }), '?fieldManager=m').expect(413);
  });

  test('and 1.5 MiB of text', async () => {
    await agent()
      .post(CONFIG_MAPS)
      .send(configMap('a', { k: 'v'.repeat(1_572_000) }))
      .expect(201);
    await agent()
      .post(CONFIG_MAPS)
      .send(configMap('b', { k: 'v'.repeat(1_572_864) }))
      .expect(413);
    const patch = JSON.stringify({ data: { l: 'v'.repeat(1000) } });
    await agent().patch(`${CONFIG_MAPS}/a`).type('application/merge-patch+json').send(patch).expect(413);
  });

  test('a longer YAML body is told to come as JSON', async () => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\ndata: {k: "${'v'.repeat(64 * 1024)}"}`;
    const body = await bodyOf(agent().post(CONFIG_MAPS).type('application/yaml').send(text).expect(400));
    expect(at(body, 'message')).toContain('write a longer one as JSON');
  });
});

test('a slice of a thousand endpoints with all that may stand in one is taken, however it is sent, and one of more values is not', async () => {
  const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const object = endpointSlice(1000);
  await agent().post(path).send(object).expect(201);
  await agent().put(`${path}/s`).send(object).expect(200);
  const patched = (type: string, body: unknown, query = '') =>
    agent().patch(`${path}/s${query}`).type(type).send(JSON.stringify(body));
  await patched('application/apply-patch+yaml', object, '?fieldManager=m&force=true').expect(200);
  await patched('application/merge-patch+json', { endpoints: object.endpoints }).expect(200);
  const replace = [{ op: 'replace', path: '/endpoints', value: object.endpoints }];
  await patched('application/json-patch+json', replace).expect(200);
  expect(api.store.snapshot().get('EndpointSlice', 'default', 's')?.endpoints).toHaveLength(1000);
  const more = await bodyOf(agent().post(path).send(endpointSlice(1200)).expect(413));
  expect(more).toMatchObject({ message: textLike('30000 values') });
});

test('a thousand violations are told, and that there are more', async () => {
  const spec = Object.fromEntries(Object.keys(members(5000)).map((name) => [name, 1]));
  const policy = { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyPolicy', metadata: { name: 'p' }, spec };
  const body = await bodyOf(agent().post(POLICIES).send(policy).expect(422));
  expect(listAt(body, 'details', 'causes')).toHaveLength(200);
  // The rule about targets is one more; so is the line that says so.
  expect(at(body, 'message')).toMatch(/and 80[0-9] more\]$/);
});

describe('in the time of what is sent, not of its square', () => {
  test('the items of a keyed list are found once', () => {
    const ports = [{ port: 1 }, { port: 2 }];
    const path = ['f:spec', 'f:ports'];
    expect(keyedItems('Service', ports, path)).toBe(keyedItems('Service', ports, path));
    expect(keyedItems('Service', [{ port: 1 }, { port: 1 }], path)).toBeUndefined();
    expect(keyedItems('Service', ports, ['f:spec', 'f:other'])).toBeUndefined();
  });

  test('the order of a list after a patch', () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => String(index));
    expect(inPatchOrder(keys, keys.toReversed(), keys)).toEqual(keys.toReversed());
    expect(inPatchOrder(keys, ['49999'], keys)).toEqual(keys);
  });

  test('a JSON patch changes its own copies in place, and nothing that stands elsewhere too', () => {
    const document = { map: {}, list: [] };
    const many = Array.from({ length: 9000 }, (_, index) => ({ op: 'add', path: `/map/k${index}`, value: {} }));
    expect(jsonPatch({ ...document, map: members(20_000, 9000) }, many)).toHaveProperty('value.map.k8999');
    const patched = jsonPatch(document, [
      { op: 'add', path: '/map/a', value: 1 },
      { op: 'add', path: '/list/-', value: 1 },
      { op: 'copy', from: '/map', path: '/copy' },
      { op: 'copy', from: '/list', path: '/other' },
      { op: 'add', path: '/map/b', value: 2 },
      { op: 'add', path: '/other/-', value: 2 },
      { op: 'remove', path: '/copy/a' },
    ]);
    expect(patched).toEqual({ value: { map: { a: 1, b: 2 }, copy: {}, list: [1], other: [1, 2] } });
    expect(document).toEqual({ map: {}, list: [] });
  });
});

test('others have their turn while the expressions of an object are compiled', async () => {
  const matchExpressions = ['1 == 1', '2 == 2', '3 == 3', '4 == 4'];
  const spec = { traffic: { authorization: { policy: { matchExpressions } } } };
  let milliseconds = 0;
  const monotonic = (): number => (milliseconds += 6);
  let turns = 0;
  let over = false;
  const others = (): void => {
    turns += 1;
    if (!over) setImmediate(others);
  };
  setImmediate(others);
  await compileAhead(kindNamed('ProxyPolicy'), { spec }, { monotonic });
  over = true;
  // Every expression takes six milliseconds here, and a turn ten.
  expect(turns).toBe(2);
});

/** A ConfigMap with so many entries, as `kubectl create` writes it. */
function protobufConfigMap(entries: number): Buffer {
  const data = Array.from({ length: entries }, (_, index) => field(2, message(field(1, `k${index}`), field(2, 'v'))));
  const object = message(field(1, message(field(1, 'p'))), ...data);
  const type = message(field(1, 'v1'), field(2, 'ConfigMap'));
  return Buffer.concat([Buffer.from('k8s\0'), message(field(1, type), field(2, object))]);
}

type Write = (writer: BinaryWriter) => BinaryWriter;

function field(number: number, content: Uint8Array | string): Write {
  return (writer) => {
    const tagged = writer.uint32(number * 8 + 2);
    return typeof content === 'string' ? tagged.string(content) : tagged.bytes(content);
  };
}

function message(...fields: readonly Write[]): Uint8Array {
  return fields.reduce((writer, write) => write(writer), new BinaryWriter()).finish();
}

/** Endpoints as the controllers of a cluster write them, with every member that the API has. */
function endpointSlice(count: number) {
  const endpoints = Array.from({ length: count }, (_, index) => ({
    addresses: [`10.0.${index >> 8}.${index & 255}`],
    conditions: { ready: true, serving: true, terminating: false },
    deprecatedTopology: { 'example.com/rack': 'r' },
    hints: { forZones: [{ name: 'z' }], forNodes: [{ name: 'n' }] },
    hostname: `h${index}`,
    nodeName: `n${index}`,
    targetRef: {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'default',
      name: `p${index}`,
      uid: `u${index}`,
      resourceVersion: '5',
      fieldPath: 'spec',
    },
    zone: 'z',
  }));
  const metadata = { name: 's', labels: { 'kubernetes.io/service-name': 's' } };
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
  return { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType: 'IPv4', endpoints, ports };
}
