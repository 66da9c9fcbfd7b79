import { createServer } from 'node:net';

/** Below the range from which the system gives ports to clients: a peer that is down must find its port free again. */
const FIRST = 10_000;
const COUNT = 10_000;

/** A port of the loopback address nobody has at the moment. */
export async function freePort(): Promise<number> {
  const port = FIRST + Math.floor(Math.random() * COUNT);
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!free) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
