import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';

/** A realtime provider that greets and sends back what it gets. */
async function provider(): Promise<AsyncDisposable & { readonly port: number; readonly open: () => number }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) => {
    socket.on('error', () => socket.terminate());
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.send('hello');
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    open: () => server.clients.size,
    [Symbol.asyncDispose]: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function setup(port: number, upstream: number): object[] {
  const [gateway, route] = simpleSetup(port, upstream);
  const ai = { provider: { vendor1: {}, host: '127.0.0.1', port: upstream } };
  const backend = {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { name: 'b' },
    spec: { ai, policies: { ai: { routes: { '*': 'Realtime' } } } },
  };
  return [gateway ?? {}, route ?? {}, backend];
}

test('large messages come back whole in both directions', async () => {
  await using upstream = await provider();
  await using plane = await startDataPlane((port) => setup(port, upstream.port));
  const socket = new WebSocket(`ws://127.0.0.1:${plane.port}/v1/realtime`);
  const messages: Buffer[] = [];
  const received = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      messages.push(Buffer.isBuffer(data) ? data : Buffer.alloc(0));
      if (messages.length === 4) resolve();
    });
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const sent = [Buffer.alloc(70_000, 1), Buffer.alloc(3_000_000, 2), Buffer.from('last')];
  for (const message of sent) socket.send(message);
  await received;
  expect(messages[0]?.toString()).toBe('hello');
  expect(messages.slice(1).map((message, index) => message.equals(sent[index] ?? Buffer.alloc(0)))).toEqual([
    true,
    true,
    true,
  ]);
  socket.terminate();
});

test('a connection that went on with another protocol does not keep the proxy from ending', async () => {
  await using upstream = await provider();
  const plane = await startDataPlane((port) => setup(port, upstream.port));
  const socket = new WebSocket(`ws://127.0.0.1:${plane.port}/v1/realtime`);
  await new Promise((resolve) => socket.once('message', resolve));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await plane[Symbol.asyncDispose]();
  expect(await closed).toBe(1006);
});

test('a client that is gone in the middle of its handshake harms nobody', async () => {
  let answer: (() => void) | undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  // It never answers the handshake.
  await using upstream = await startUpstream(() => answer?.());
  await using plane = await startDataPlane((port) => setup(port, upstream.port));
  const socket = connect(plane.port, '127.0.0.1');
  socket.write(
    'GET /v1/realtime HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await asked;
  socket.resetAndDestroy();
  await new Promise((resolve) => socket.once('close', resolve));
  await using other = await provider();
  await plane.configure(setup(plane.port, other.port));
  const next = new WebSocket(`ws://127.0.0.1:${plane.port}/v1/realtime`);
  expect(String(await new Promise((resolve) => next.once('message', resolve)))).toBe('hello');
  next.terminate();
});

test.each([
  ['another protocol', 'connection: upgrade\r\nupgrade: h2c\r\n'],
  ['a body', 'connection: upgrade\r\nupgrade: websocket\r\ncontent-length: 2\r\n'],
])('a request for %s is answered like any other, and the connection ends', async (_, fields) => {
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const socket = connect(plane.port, '127.0.0.1');
  const text = new Promise<string>((resolve) => {
    let seen = '';
    socket.on('data', (bytes) => (seen += bytes.toString('latin1')));
    socket.once('end', () => resolve(seen));
  });
  socket.write(`GET / HTTP/1.1\r\nhost: a\r\n${fields}\r\nxy`);
  expect(await text).toMatch(/^HTTP\/1\.1 200 [^]*hello$/);
  socket.destroy();
});
