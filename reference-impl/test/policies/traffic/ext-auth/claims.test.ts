import { expect, test } from 'vitest';
import { get, policy, simpleSetup, startDataPlane, startTcp, startUpstream } from '../../../support/data-plane.ts';

/* No document says what becomes of a listed field when there is no server. docs/decisions/external-authorization.md */

test('a server out of reach leaves nothing of what a client says in its place', async () => {
  await using upstream = await startUpstream();
  await using silent = await startTcp((socket) => socket.destroy());
  const server = {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { name: 'auth' },
    spec: { static: { host: '127.0.0.1', port: silent.port } },
  };
  const backendRef = { group: 'proxy.example', kind: 'ProxyBackend', name: 'auth' };
  const extAuth = { backendRef, failureMode: 'FailOpen', http: { allowedResponseHeaders: ['x-user-id'] } };
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, upstream.port),
    server,
    policy('HTTPRoute', { traffic: { extAuth } }),
  ]);
  const answer = await get(plane.port, '/', ['Host: example.test', 'X-User-Id: mallory', 'X-Other: kept']);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  const fields = upstream.received.flatMap(({ rawHeaders }) => rawHeaders);
  expect([fields.includes('mallory'), fields.includes('kept')]).toEqual([false, true]);
});
