import { connect } from 'node:net';
import { platform } from 'node:os';
import { expect, test } from 'vitest';
import { start, viewsOf } from '../../support/start.ts';

test.skipIf(platform() !== 'linux')(
  'showKeepalive tells when the kernel of the client probes the connection',
  async () => {
    const mock = await start({ kind: 'http', showKeepalive: true });
    const ask = (seconds: number | undefined): Promise<() => void> =>
      new Promise((resolve) => {
        const socket = connect(mock.port, mock.host);
        if (seconds !== undefined) socket.setKeepAlive(true, seconds * 1000);
        socket.once('data', () => {
          resolve(() => socket.destroy());
        });
        socket.write(`GET /${seconds} HTTP/1.1\r\nHost: h\r\n\r\n`);
      });
    const ends = [await ask(undefined), await ask(50), await ask(500)];
    const [none, short, long] = viewsOf(mock, 'keepalive').map(({ keepalive }) => keepalive);
    for (const end of ends) end();
    expect(none).toBeNull();
    expect(short).toBeGreaterThan(20);
    expect(short).toBeLessThanOrEqual(50);
    expect(long).toBeGreaterThan(450);
  },
);

test.skipIf(platform() !== 'linux')(
  'of a connection that is gone it tells what was seen while it was there',
  async () => {
    const mock = await start({ kind: 'http', showKeepalive: true });
    await new Promise<void>((resolve) => {
      const socket = connect(mock.port, mock.host);
      socket.setKeepAlive(true, 50_000);
      socket.resume().once('close', () => {
        resolve();
      });
      socket.write('GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    });
    const [gone] = viewsOf(mock, 'keepalive').map(({ keepalive }) => keepalive);
    expect(gone).toBeGreaterThan(20);
    expect(gone).toBeLessThanOrEqual(50);
  },
);
