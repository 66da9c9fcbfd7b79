import type { Server } from 'node:net';

/** The port of loopback a server listens on from now on. */
export async function listen(server: Server, wanted = 0): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(wanted, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}
