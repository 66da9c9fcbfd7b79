import fc from 'fast-check';
import request from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonPatch } from '../../../admin/resource-api/patch/json-patch.ts';
import { mergePatch } from '../../../admin/resource-api/patch/merge-patch.ts';
import { parsePath } from '../../../admin/resource-api/paths.ts';
import { readProtobuf } from '../../../admin/resource-api/protobuf.ts';
import {
  type ApiServer,
  backend,
  BACKENDS,
  CONFIG_MAPS,
  configMap,
  createApiServer,
  POLICIES,
  SECRETS,
  SERVICES,
} from './api-server.ts';

let api: ApiServer;
beforeAll(async () => {
  api = createApiServer();
  await api.admin.listen(0);
});
afterAll(() => api.admin.close());

const RUNS = 150;

const WORDS =
  'api apis v1 namespaces default configmaps proxy.example v1alpha1 proxybackends status openapi v3 version % .. %2e%2e ' +
  '__proto__ constructor x %00 %ff ';
const word = fc.constantFrom(...WORDS.split(' '));
const query = fc.dictionary(
  fc.constantFrom(
    'watch',
    'labelSelector',
    'fieldSelector',
    'limit',
    'continue',
    'dryRun',
    'fieldManager',
    'force',
    'x',
  ),
  fc.oneof(fc.string(), fc.constantFrom('false', 'All', '1', '-1', 'a=b', 'metadata.name=a')),
);
const type = fc.constantFrom(
  'application/json',
  'application/yaml',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
);
const method = fc.constantFrom('get', 'post', 'put', 'patch', 'delete');

/** Text of the shape of a body: whole objects with something wrong in them, and anything at all. */
const body = fc.oneof(
  fc.string(),
  fc.json(),
  fc
    .array(
      fc.record({
        op: fc.constantFrom('add', 'remove', 'copy', 'move', 'test'),
        path: fc.string(),
        from: fc.string(),
        value: fc.jsonValue(),
      }),
    )
    .map((list) => JSON.stringify(list)),
  fc
    .tuple(
      fc.constantFrom(configMap('a'), backend('b')),
      fc.constantFrom('metadata', 'spec', 'data', 'status', 'kind'),
      fc.jsonValue(),
    )
    .map(([object, member, value]) => JSON.stringify({ ...object, [member]: value })),
);

test('whatever is sent, the answer is a document, and never a failure of the server', { timeout: 60_000 }, async () => {
  const path = fc.oneof(
    fc.array(word, { maxLength: 8 }).map((words) => `/${['api', ...words].join('/')}`),
    fc.array(word, { maxLength: 8 }).map((words) => `/${['apis', ...words].join('/')}`),
    fc.constantFrom(
      CONFIG_MAPS,
      `${CONFIG_MAPS}/a`,
      BACKENDS,
      `${BACKENDS}/b`,
      POLICIES,
      `${SECRETS}/s`,
      `${SERVICES}/s`,
    ),
  );
  await fc.assert(
    fc.asyncProperty(method, path, query, type, body, async (verb, target, parameters, mediaType, text) => {
      const { watch: _, ...safe } = parameters;
      const search = new URLSearchParams(safe).toString();
      const call = request(api.admin.http)[verb](`${target}?${search}`);
      const response = verb === 'get' ? await call : await call.set('content-type', mediaType).send(text);
      expect(response.status).toBeLessThan(500);
      expect(response.headers['content-type']).toBe('application/json');
      expect(JSON.parse(response.text)).toBeTypeOf('object');
    }),
    { numRuns: RUNS },
  );
  expect(api.logged).toEqual([]);
});

test('patches never throw and never change what they are given', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
      const [before, patchBefore] = [JSON.stringify(target), JSON.stringify(patch)];
      mergePatch(target, patch);
      jsonPatch(target, Array.isArray(patch) ? patch : [patch]);
      expect([JSON.stringify(target), JSON.stringify(patch)]).toEqual([before, patchBefore]);
    }),
  );
});

test('paths and binary bodies are read without throwing', () => {
  fc.assert(
    fc.property(fc.array(word), fc.string(), fc.uint8Array({ maxLength: 200 }), (words, text, bytes) => {
      parsePath(`/${words.join('/')}`);
      parsePath(text);
      readProtobuf(bytes);
      readProtobuf(Uint8Array.from([0x6b, 0x38, 0x73, 0, ...bytes]));
    }),
  );
});
