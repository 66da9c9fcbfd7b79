import { Agent, get as request } from 'node:http';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { get, raw, simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';

const listener = (port: number) => ({ name: `l${port}`, port, protocol: 'HTTP' });
const at = (...ports: number[]) => ({ gateway: { listeners: ports.map(listener) } });

it('opens the ports that are new, keeps the others and closes those that are gone', async () => {
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const other = await freePort();
  await plane.configure(simpleSetup(plane.port, upstream.port, at(plane.port, other)));
  expect(await get(other)).toMatch(/^HTTP\/1\.1 200 /);
  expect(plane.ports()).toEqual([plane.port, other].toSorted((a, b) => a - b));
  await plane.configure(simpleSetup(plane.port, upstream.port, at(other)));
  await expect(get(plane.port)).rejects.toThrow('ECONNREFUSED');
  expect(await get(other)).toMatch(/^HTTP\/1\.1 200 /);
});

it('a port that stays loses no request and no connection while another comes, changes and goes', async () => {
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const [kept, other] = [plane.port, await freePort()];
  const named = { gateway: { listeners: [listener(kept), { ...listener(other), hostname: 'elsewhere.test' }] } };
  const clients = Array.from({ length: 4 }, () => ask(kept));
  for (let round = 0; round < 10; round += 1) {
    await plane.configure(simpleSetup(kept, upstream.port, at(kept, other)));
    expect(await get(other)).toMatch(/^HTTP\/1\.1 200 /);
    await plane.configure(simpleSetup(kept, upstream.port, named));
    expect(await get(other)).toMatch(/^HTTP\/1\.1 404 /);
    await plane.configure(simpleSetup(kept, upstream.port));
    await expect(get(other)).rejects.toThrow('ECONNREFUSED');
  }
  for (const client of clients) {
    const { answers, connections } = await client.stop();
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(connections).toBe(1);
  }
});

it('what is under way at a port that goes is answered, and its connection ends with the answer', async () => {
  const arrived = Promise.withResolvers<() => void>();
  await using upstream = await startUpstream((_, response) => {
    arrived.resolve(() => response.end('late'));
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const other = await freePort();
  await plane.configure(simpleSetup(plane.port, upstream.port, at(plane.port, other)));
  const answered = raw(other, 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n');
  const release = await arrived.promise;
  await plane.configure(simpleSetup(plane.port, upstream.port));
  await expect(get(other)).rejects.toThrow('ECONNREFUSED');
  release();
  expect(await answered).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*late/i);
});

it('says that a port is in use, and takes it with the next configuration once it is free', async () => {
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const squatter = createServer();
  const taken = await new Promise<number>((resolve) => {
    squatter.listen(0, '127.0.0.1', () => {
      const address = squatter.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  await plane.configure(simpleSetup(plane.port, upstream.port, at(plane.port, taken)));
  expect(plane.logged.at(-1)?.fields).toMatchObject({ error: `port ${taken} is in use by another program` });
  await new Promise((resolve) => squatter.close(resolve));
  await plane.configure([...simpleSetup(plane.port, upstream.port, at(plane.port, taken))]);
  expect(await get(taken)).toMatch(/^HTTP\/1\.1 200 /);
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => {
        resolve(port);
      });
    });
  });
}

/** A client that asks again as soon as it is answered, over one connection while that stands. */
function ask(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answers: unknown[] = [];
  const sockets = new Set<unknown>();
  const over = new AbortController();
  const one = (): Promise<unknown> =>
    new Promise((resolve) => {
      const sent = request({ port, host: '127.0.0.1', agent }, (response) => {
        response.resume().once('close', () => resolve(response.complete ? response.statusCode : 'cut'));
      });
      sent.once('socket', (socket) => sockets.add(socket)).once('error', (error) => resolve(error.message));
    });
  const asked = (async () => {
    while (!over.signal.aborted) answers.push(await one());
  })();
  return {
    stop: async () => {
      over.abort();
      await asked;
      agent.destroy();
      return { answers, connections: sockets.size };
    },
  };
}
