import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { listen } from '../listen.ts';

const HOST = '127.0.0.1';

test('a port that was left is not the one the next mock gets', async () => {
  const seen: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    const bound = await listen(createServer(), { host: HOST });
    await bound.close();
    seen.push(bound.port);
  }
  expect(new Set(seen).size).toBe(20);
});

test('a port that somebody else has is stepped over', async () => {
  const before = await listen(createServer(), { host: HOST });
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ host: HOST, port: before.port + 1 }, resolve));
  const after = await listen(createServer(), { host: HOST });
  expect(after.port).not.toBe(before.port + 1);
  await Promise.all([before.close(), after.close(), new Promise((resolve) => other.close(resolve))]);
});

test('a port that was asked for and is taken is an error', async () => {
  const first = await listen(createServer(), { host: HOST });
  await expect(listen(createServer(), { host: HOST, port: first.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await first.close();
});

test('a server that had to try ports in vain carries nothing of it along', async () => {
  const first = await listen(createServer(), { host: HOST });
  const server = createServer();
  const before = [server.listenerCount('listening'), server.listenerCount('error')];
  await expect(listen(server, { host: HOST, port: first.port })).rejects.toThrow('EADDRINUSE');
  expect([server.listenerCount('listening'), server.listenerCount('error')]).toEqual(before);
  await first.close();
});

test('a Unix socket is bound also where temporary files are too far down for one', async () => {
  vi.stubEnv('TMPDIR', `/tmp/${'deep/'.repeat(30)}`);
  try {
    const bound = await listen(createServer(), { host: HOST, unix: true });
    expect(bound.socketPath).toMatch(/^\/tmp\/conform-[^/]+\/mock\.sock$/);
    await bound.close();
  } finally {
    vi.unstubAllEnvs();
  }
});
