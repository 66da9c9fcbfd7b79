import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import type { PolicyReferences } from '../../attachment/view.ts';
import type { Keepalive } from '../../resources/proxy-policy/fields/keepalive.ts';
import { connection } from '../../upstream/connection.ts';
import { dial } from '../../upstream/dial.ts';
import { startTcp } from '../support/data-plane.ts';

const NOWHERE: PolicyReferences = {
  backend: () => ({ unresolved: 'backendNotFound', message: '' }),
  secret: () => undefined,
  configMap: () => undefined,
  secretsByLabels: () => [],
  configMapsByLabels: () => [],
};

/** What the kernel is told about a connection under a policy. */
async function told(keepalive: Keepalive | undefined): Promise<readonly unknown[]> {
  await using peer = await startTcp(() => {});
  const spy = vi.spyOn(Socket.prototype, 'setKeepAlive');
  const policies = { sources: {}, ...(keepalive && { tcp: { keepalive } }) };
  const { dial: options } = connection(policies, NOWHERE);
  const endpoint = { kind: 'tcp', host: '127.0.0.1', port: peer.port } as const;
  const socket = await new Promise<Socket | null>((resolve) => {
    dial(endpoint, options, systemClock, (_, opened) => {
      resolve(opened);
    });
  });
  socket?.destroy();
  const calls = spy.mock.calls.flat();
  spy.mockRestore();
  return calls;
}

test('BTCP-001: time, interval and number of probes are those of the policy', async () => {
  expect(await told({ time: '7s', interval: '3s', retries: 4 })).toEqual([
    { enable: true, initialDelay: 7000, interval: 3000, count: 4 },
  ]);
});

test('BTCP-004: what the policy leaves out is 180s, 180s and 9', async () => {
  expect(await told({})).toEqual([{ enable: true, initialDelay: 180_000, interval: 180_000, count: 9 }]);
  expect(await told({ interval: '1s' })).toEqual([{ enable: true, initialDelay: 180_000, interval: 1000, count: 9 }]);
});

test('BTCP-001: without a policy nobody is probed', async () => {
  expect(await told(undefined)).toEqual([]);
});
