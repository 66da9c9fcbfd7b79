import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { simpleSetup, startDataPlane, type DataPlane } from '../support/data-plane.ts';

/** Debian's package `chromium`; nothing here needs a network. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file));
if (CHROMIUM === undefined) console.log('tests with a browser are skipped: there is no chromium');

describe.skipIf(CHROMIUM === undefined)('a browser whose page and WebSocket come through the proxy', () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>shop</title>');
  });
  const sockets = new WebSocketServer({
    server,
    handleProtocols: (offered) => (offered.has('chat') ? 'chat' : false),
    perMessageDeflate: true,
  });
  let browser: Browser;
  let plane: DataPlane;

  beforeAll(async () => {
    sockets.on('connection', (socket, request) => {
      socket.on('message', (data, isBinary) => {
        socket.send(data, { binary: isBinary });
        if (Buffer.isBuffer(data) && data.equals(Buffer.from('bye'))) socket.close(4001, 'as you wish');
      });
      socket.send(`hello from ${request.url}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const upstream = typeof address === 'object' && address !== null ? address.port : 0;
    plane = await startDataPlane((port) => simpleSetup(port, upstream));
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await plane?.[Symbol.asyncDispose]();
    for (const socket of sockets.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  });

  test('text, bytes, a message of a megabyte and the code of the close come through, compressed and with a protocol', async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${plane.port}/`);
    expect(await page.title()).toBe('shop');
    const seen = await page.evaluate(
      async (url) =>
        new Promise<unknown>((resolve) => {
          const socket = new WebSocket(url, ['other', 'chat']);
          socket.binaryType = 'arraybuffer';
          const messages: unknown[] = [];
          const next: (string | Uint8Array<ArrayBuffer>)[] = [
            'äöü',
            new Uint8Array([1, 2, 255]),
            'x'.repeat(1_000_000),
            'bye',
          ];
          socket.addEventListener('message', ({ data }: { readonly data: string | ArrayBuffer }) => {
            messages.push(
              typeof data === 'string' ? (data.length > 100 ? data.length : data) : [...new Uint8Array(data)],
            );
            const message = next.shift();
            if (message !== undefined) socket.send(message);
          });
          socket.addEventListener('close', ({ code, reason }) => {
            resolve({ messages, code, reason, protocol: socket.protocol, extensions: socket.extensions.split(';')[0] });
          });
        }),
      `ws://127.0.0.1:${plane.port}/chat?room=1`,
    );
    expect(seen).toEqual({
      messages: ['hello from /chat?room=1', 'äöü', [1, 2, 255], 1_000_000, 'bye'],
      code: 4001,
      reason: 'as you wish',
      protocol: 'chat',
      extensions: 'permessage-deflate',
    });
  }, 60_000);
});
