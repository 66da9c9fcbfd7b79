import { once } from 'node:events';
import { connect as connect2 } from 'node:http2';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock, type Clock } from '../../base/clock.ts';
import { get, policy, raw, simpleSetup, startDataPlane, startTcp, startUpstream } from '../support/data-plane.ts';

const IDLE = 4321;
const HTTP1_BEHIND = policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } });

/** A clock whose timers of the idle limit run when they are told to. */
function heldClock(): { readonly clock: Clock; readonly expire: () => void; readonly started: Promise<void> } {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const timers = new Set<() => void>();
  const after: Clock['after'] = (delay, task) => {
    if (delay !== IDLE) return systemClock.after(delay, task);
    timers.add(task);
    resolve();
    return () => timers.delete(task);
  };
  const expire = (): void => {
    for (const task of timers) task();
  };
  return { clock: { ...systemClock, after }, expire, started };
}

it.each(['Content-Length: 9', 'Transfer-Encoding: chunked'])(
  'a body that stops is answered 408: %s',
  async (framing) => {
    const { clock, expire, started } = heldClock();
    await using upstream = await startTcp(() => {});
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port), {
      clock,
      limits: { bodyIdleTimeout: IDLE },
    });
    const answer = raw(plane.port, `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${framing}\r\n\r\n4\r\n`);
    await started;
    expire();
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
  },
);

it('a body that stops is answered 408 over HTTP/2 too, and the connection serves on', async () => {
  const { clock, expire, started } = heldClock();
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream.port), HTTP1_BEHIND], {
    clock,
    limits: { bodyIdleTimeout: IDLE },
  });
  const session = connect2(`http://127.0.0.1:${plane.port}`);
  const stopping = session.request({ ':method': 'POST', ':path': '/', 'content-length': '9' });
  stopping.on('error', () => {});
  stopping.write('ab');
  await started;
  expire();
  expect((await once(stopping, 'response'))[0]).toMatchObject({ ':status': 408 });
  const next = session.request({ ':path': '/' });
  expect((await once(next, 'response'))[0]).toMatchObject({ ':status': 200 });
  session.destroy();
});

it('a body that goes on is not limited', async () => {
  const { clock, expire, started } = heldClock();
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port), {
    clock,
    limits: { bodyIdleTimeout: IDLE },
  });
  const client = connect(plane.port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nab');
  await started;
  client.write('c');
  const answer = String(await once(client, 'data'));
  expire();
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(upstream.received[0]?.body).toBe('abc');
});

it('a connection beyond the limit is closed, and the log says so', async () => {
  await using upstream = await startUpstream();
  const limits = { mostConnections: 1 };
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port), { limits });
  const first = connect(plane.port, '127.0.0.1');
  await once(first, 'connect');
  expect(await get(plane.port)).toBe('');
  const refusals = plane.logged.filter(({ message }) => message === 'connections refused');
  expect(refusals.map(({ fields }) => fields)).toEqual([{ port: plane.port, refused: 1, most: 1 }]);
  first.destroy();
  await expect.poll(() => get(plane.port)).toMatch(/^HTTP\/1\.1 200 /);
});
