import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { simpleSetup, startDataPlane } from '../support/data-plane.ts';

async function startEcho(refuse = false): Promise<number> {
  const server = createServer((_, response) => response.end('no socket'));
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (message, socket, head) => {
    if (refuse) {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno');
      return;
    }
    sockets.handleUpgrade(message, socket, head, (open) => {
      open.send(`hello ${message.url} ${message.headers.host}`);
      open.on('message', (data, isBinary) => {
        open.send(data, { binary: isBinary });
      });
      open.on('close', (code) => closed.push(code));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const closed: number[] = [];

function nextOf(socket: WebSocket): Promise<Buffer> {
  return new Promise((resolve) => {
    socket.once('message', (data: Buffer) => {
      resolve(data);
    });
  });
}

test('a WebSocket passes to a static backend and back, to its close', async () => {
  const echo = await startEcho();
  await using plane = await startDataPlane((port) => simpleSetup(port, echo));
  const socket = new WebSocket(`ws://127.0.0.1:${plane.port}/chat?a=b`);
  expect((await nextOf(socket)).toString()).toBe(`hello /chat?a=b 127.0.0.1:${plane.port}`);
  const large = Buffer.alloc(300_000, 7);
  socket.send(large);
  expect((await nextOf(socket)).equals(large)).toBe(true);
  socket.close(4001);
  expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(4001);
  await expect.poll(() => closed).toEqual([4001]);
});

test('the answer of a backend that refuses a WebSocket is the answer', async () => {
  const echo = await startEcho(true);
  await using plane = await startDataPlane((port) => simpleSetup(port, echo));
  const socket = new WebSocket(`ws://127.0.0.1:${plane.port}/chat`);
  const error = await new Promise((resolve) => socket.once('error', resolve));
  expect(String(error)).toContain('403');
});
