import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { policy, raw, simpleSetup, startDataPlane, startTcp, startUpstream } from '../support/data-plane.ts';

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

const ASKS = 'GET /a HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\n';

test('another protocol that a backend agrees to is spoken with it, byte for byte', async () => {
  const heads: string[] = [];
  await using upstream = await startTcp((socket) => {
    socket.once('data', (head) => {
      heads.push(head.toString('latin1'));
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: Chat/2\r\n\r\nwelcome ');
      socket.on('data', (said) => socket.end(`you said ${said.toString('latin1')}`, 'latin1'));
    });
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const said = await raw(plane.port, `${ASKS}Upgrade: Chat/2\r\n\r\n\0\xff`);
  expect(heads[0]).toMatch(/^GET \/a HTTP\/1\.1\r\n/);
  expect(heads[0]).toMatch(/\r\nconnection: upgrade\r\nupgrade: chat\/2\r\n/i);
  expect(said).toMatch(/^HTTP\/1\.1 101 /);
  expect(said).toMatch(/\r\nupgrade: chat\/2\r\n/i);
  expect(said.slice(said.indexOf('\r\n\r\n') + 4)).toBe('welcome you said \0\xff');
});

test('a backend that does not agree to another protocol answers as it likes', async () => {
  await using upstream = await startUpstream((_, response) => response.writeHead(426).end('no chat here'));
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  expect(await raw(plane.port, `${ASKS}Upgrade: chat\r\n\r\n`)).toMatch(/^HTTP\/1\.1 426 [^]*no chat here/);
});

test.each([
  ['HTTP/2 without TLS', 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'],
  ['a version of HTTP', 'Upgrade: HTTP/3.0\r\n'],
  ['TLS', 'Upgrade: TLS/1.2\r\n'],
  ['what is a word of our own', 'Upgrade: tunnel\r\n'],
  ['one of several', 'Upgrade: chat, websocket\r\n'],
  ['one of two fields', 'Upgrade: websocket\r\nUpgrade: chat\r\n'],
  ['nothing', 'Upgrade: \r\n'],
])('a request that asks for %s is served as if it had not asked', async (_, fields) => {
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  expect(await raw(plane.port, `${ASKS}${fields}\r\n`)).toMatch(/^HTTP\/1\.1 200 [^]*hello$/);
  expect(upstream.received).toHaveLength(1);
  expect(upstream.received[0]?.rawHeaders.map((text) => text.toLowerCase())).not.toContain('upgrade');
});

test.each([
  ['holds answers back', { buffer: { response: { maxBytes: '1Ki' } } }],
  [
    'reads the body of answers',
    { transformation: { response: { set: [{ name: 'x-size', value: 'string(size(response.body))' }] } } },
  ],
  ['replaces the body of answers', { transformation: { response: { body: "'other'" } } }],
  ['asks the body of answers whether to try again', { retry: { condition: 'size(response.body) > 0' } }],
])('a policy that %s lets a WebSocket pass: behind its handshake is no body', async (_, traffic) => {
  await using upstream = await provider();
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, upstream.port),
    policy('HTTPRoute', { traffic }),
  ]);
  const socket = new WebSocket(`ws://127.0.0.1:${plane.port}/`);
  const greeting = new Promise((resolve) => {
    socket.once('message', (data) => resolve(Buffer.isBuffer(data) && data.toString()));
    socket.once('error', resolve);
  });
  expect(await greeting).toBe('hello');
  socket.terminate();
});

test('a policy that makes another status of a handshake answers with it, and gives the connection up', async () => {
  const gone = Promise.withResolvers<void>();
  await using upstream = await startTcp((socket) => {
    socket.once('close', () => gone.resolve());
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\nwelcome');
    });
  });
  const transformation = { response: { set: [{ name: ':status', value: "'403'" }] } };
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, upstream.port),
    policy('HTTPRoute', { traffic: { transformation } }),
  ]);
  expect(await raw(plane.port, `${ASKS}Upgrade: chat\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 [^]*content-length: 0\r\n/);
  await gone.promise;
});
