import request from 'supertest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiServer, at, bodyOf, createApiServer } from './api-server.ts';

let api: ApiServer;
beforeEach(() => {
  api = createApiServer();
});
afterEach(() => api.admin.close());

const PODS = '/api/v1/namespaces/default/pods';
const POOLS = '/apis/inference.networking.k8s.io/v1/namespaces/default/inferencepools';
const agent = () => request(api.admin.http);
const pod = (status: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {}, status });
const condition = (status: string) => ({ type: 'Ready', status, lastProbeTime: null });

test('the status of a Pod is the one its writer says', async () => {
  await agent()
    .post(PODS)
    .send(pod({ podIP: '10.0.0.1', conditions: [condition('False')] }))
    .expect(201);
  await agent()
    .put(`${PODS}/p`)
    .send(pod({ podIP: '10.0.0.1', conditions: [condition('True')] }))
    .expect(200);
  const body = await bodyOf(agent().get(`${PODS}/p`).expect(200));
  expect(at(body, 'status')).toEqual({ podIP: '10.0.0.1', conditions: [condition('True')] });
});

test('a strategic merge patch changes one condition of a Pod', async () => {
  const others = [{ type: 'Initialized', status: 'True' }];
  await agent()
    .post(PODS)
    .send(pod({ podIP: '10.0.0.1', conditions: [...others, condition('False')] }))
    .expect(201);
  await agent()
    .patch(`${PODS}/p`)
    .set('content-type', 'application/strategic-merge-patch+json')
    .send({ status: { conditions: [{ type: 'Ready', status: 'True' }] } })
    .expect(200);
  const body = await bodyOf(agent().get(`${PODS}/p`).expect(200));
  expect(at(body, 'status', 'conditions')).toEqual([...others, condition('True')]);
});

test('the status of a pool is not for clients', async () => {
  const spec = { selector: { matchLabels: { app: 'a' } }, targetPorts: [{ number: 80 }] };
  const object = { apiVersion: 'inference.networking.k8s.io/v1', kind: 'InferencePool', metadata: { name: 'p' }, spec };
  await agent()
    .post(POOLS)
    .send({ ...object, status: { parents: [] } })
    .expect(201);
  expect(await bodyOf(agent().get(`${POOLS}/p`).expect(200))).not.toHaveProperty('status');
});
