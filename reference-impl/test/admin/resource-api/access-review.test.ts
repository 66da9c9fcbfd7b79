import request from 'supertest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiServer, bodyOf, createApiServer, listWith, objectWith, textLike } from './api-server.ts';

let api: ApiServer;
beforeEach(() => {
  api = createApiServer();
});
afterEach(() => api.admin.close());

const agent = () => request(api.admin.http);
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

test.each([
  [{ resourceAttributes: { verb: 'create', resource: 'proxypolicies', group: 'proxy.example' } }, true],
  [{ resourceAttributes: { verb: '*', resource: '*' } }, true],
  [{ resourceAttributes: { verb: 'get', resource: 'gateways', subresource: 'status' } }, true],
  [{ resourceAttributes: { verb: 'update', resource: 'gateways', subresource: 'status' } }, false],
  [{ nonResourceAttributes: { verb: 'get', path: '/readyz' } }, true],
])('%j: %s', async (spec, allowed) => {
  const sent = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
  const body = await bodyOf(agent().post(REVIEWS).send(sent).expect(201));
  expect(body).toMatchObject({ kind: 'SelfSubjectAccessReview', spec, status: { allowed, reason: textLike(/./) } });
});

test('a question about nothing, or of another kind, is refused; nothing can be read', async () => {
  await agent().post(REVIEWS).send({ spec: {} }).expect(400);
  await agent()
    .post(REVIEWS)
    .send({ kind: 'Pod', spec: { resourceAttributes: {} } })
    .expect(400);
  await agent().get(REVIEWS).expect(405);
});

test('discovery shows where to ask', async () => {
  const groups = await bodyOf(agent().get('/apis').expect(200));
  expect(groups).toMatchObject({ groups: listWith(objectWith({ name: 'authorization.k8s.io' })) });
  const resources = await bodyOf(agent().get('/apis/authorization.k8s.io/v1').expect(200));
  expect(resources).toMatchObject({ resources: [{ name: 'selfsubjectaccessreviews', verbs: ['create'] }] });
});
