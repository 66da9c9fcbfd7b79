import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { EndpointHealth } from '../../upstream/health/endpoint-health.ts';
import { createHealthRegister, type HealthRegister } from '../../upstream/health/register.ts';
import {
  type DataPlane,
  get,
  policy,
  simpleSetup,
  startDataPlane,
  startTcp,
  startUpstream,
} from '../support/data-plane.ts';

/* What is counted against an endpoint and what is not, where a case cannot see it or would have to wait. */

interface Observed extends HealthRegister {
  /** Of the first endpoint. */
  readonly first: () => EndpointHealth | undefined;
}

function observedRegister(): Observed {
  const register = createHealthRegister();
  let first: EndpointHealth | undefined;
  return {
    ...register,
    candidates: (backend) => {
      const candidates = register.candidates(backend);
      first = candidates[0]?.[0]?.health;
      return candidates;
    },
    first: () => first,
  };
}

/** A Service with these endpoints; the first is drawn as long as it is not evicted. */
function startBalanced(ports: readonly number[], health: HealthRegister, backend: object): Promise<DataPlane> {
  return startDataPlane(
    (port) => [
      ...simpleSetup(port, 1, { rule: { backendRefs: [{ name: 'web', port: 80 }] } }),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { ports: [{ name: 'http', port: 80 }] },
      },
      ...ports.map((at, index) => ({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: `web-${index}`, labels: { 'kubernetes.io/service-name': 'web' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['127.0.0.1'] }],
        ports: [{ name: 'http', port: at }],
      })),
      policy('HTTPRoute', { backend }),
    ],
    { health },
  );
}

describe('what is counted against an endpoint', () => {
  it('is an answer that does not come in time (HEALTH-003)', async () => {
    await using hanging = await startTcp(() => {});
    await using well = await startUpstream();
    const health = observedRegister();
    const eviction = { duration: '1h', consecutiveFailures: 1 };
    const backend = { http: { requestTimeout: '50ms' }, health: { eviction } };
    await using plane = await startBalanced([hanging.port, well.port], health, backend);
    expect(await get(plane.port)).toMatch(/^HTTP\/1\.1 504 /);
    expect(health.first()).toMatchObject({ failures: 1, evictions: 1, pending: 0 });
    expect(await get(plane.port)).toMatch(/hello$/);
  });

  // docs/decisions/health.md: the condition of the document's own example is about answers.
  it('is that nobody is there or the connection breaks, whatever the condition (HEALTH-018)', async () => {
    const closed = await startTcp(() => {});
    await closed[Symbol.asyncDispose]();
    await using resetting = await startTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await using well = await startUpstream();
    for (const { port } of [closed, resetting]) {
      const health = observedRegister();
      const backend = { health: { unhealthyCondition: 'response.code >= 500', eviction: { duration: '1h' } } };
      await using plane = await startBalanced([port, well.port], health, backend);
      expect(await get(plane.port)).toMatch(/^HTTP\/1\.1 503 /);
      expect(health.first()).toMatchObject({ failures: 1, evictions: 1, pending: 0 });
      expect(await get(plane.port)).toMatch(/hello$/);
    }
  });

  it('is not that the client went away', async () => {
    let arrived: (() => void) | undefined;
    const atEndpoint = new Promise<void>((resolve) => (arrived = resolve));
    await using hanging = await startTcp((socket) => socket.once('data', () => arrived?.()));
    await using well = await startUpstream();
    const health = observedRegister();
    await using plane = await startBalanced([hanging.port, well.port], health, { health: { eviction: {} } });
    const client = connect(plane.port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    await atEndpoint;
    expect(health.first()).toMatchObject({ pending: 1 });
    client.destroy();
    await expect.poll(() => health.first()?.pending).toBe(0);
    expect(health.first()).toMatchObject({ failures: 0, health: 1 });
  });

  it('is not that the rest of an answer is missing', async () => {
    await using cut = await startTcp((socket) =>
      socket.once('data', () => {
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf');
      }),
    );
    await using well = await startUpstream();
    const health = observedRegister();
    await using plane = await startBalanced([cut.port, well.port], health, { health: { eviction: {} } });
    await get(plane.port);
    await expect.poll(() => health.first()?.pending).toBe(0);
    expect(health.first()).toMatchObject({ failures: 0, evictions: 0, health: 1 });
  });

  it('stands beside how many requests are under way, until their answers are complete', async () => {
    let finish: (() => void) | undefined;
    await using slow = await startUpstream((_, response) => {
      response.write('first ');
      finish = () => response.end('last');
    });
    await using well = await startUpstream();
    const health = observedRegister();
    await using plane = await startBalanced([slow.port, well.port], health, { health: {} });
    const answer = get(plane.port);
    await expect.poll(() => health.first()?.latency ?? 0).toBeGreaterThan(0);
    expect(health.first()).toMatchObject({ pending: 1, failures: 0 });
    finish?.();
    expect(await answer).toMatch(/last/);
    expect(health.first()).toMatchObject({ pending: 0 });
  });
});
