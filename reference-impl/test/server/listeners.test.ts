import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { get, simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';

const at = (...ports: number[]) => ({
  gateway: { listeners: ports.map((port) => ({ name: `l${port}`, port, protocol: 'HTTP' })) },
});

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
