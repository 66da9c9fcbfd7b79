import { createServer, request as openRequest } from 'node:http';
import { createServer as createHttp2Server, connect as connectHttp2 } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import { policy, raw, simpleSetup, startDataPlane, startTcp } from '../support/data-plane.ts';

/** What a backend of HTTP/1.1 got; it answers with trailers of its own. */
async function startBackend(): Promise<{
  readonly port: number;
  readonly got: { body: string; trailers: string[]; announced: string | undefined }[];
}> {
  const got: { body: string; trailers: string[]; announced: string | undefined }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      got.push({ body, trailers: request.rawTrailers, announced: request.headers['trailer'] });
      response.writeHead(200, { trailer: 'x-back' });
      response.write('an');
      response.addTrailers({ 'x-back': 'z' });
      response.end('swer');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: portOf(server.address()), got };
}

function portOf(address: unknown): number {
  return typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : 0;
}

const POST = 'POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n';
const BODY = '\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nX-Sum: 5\r\nAuthorization: none\r\n\r\n';
const ANNOUNCED = `${POST}Trailer: x-sum\r\n${BODY}`;

test('trailers that a client of HTTP/1.1 announces reach a backend of HTTP/1.1, and those of the backend the client', async () => {
  const backend = await startBackend();
  await using plane = await startDataPlane((port) => simpleSetup(port, backend.port));
  const answer = await raw(plane.port, ANNOUNCED);
  expect(backend.got).toEqual([{ body: 'hello', trailers: ['X-Sum', '5'], announced: 'x-sum' }]);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n0\r\nx-back: z\r\n\r\n$/i);
});

test('trailers that nobody announced are left out', async () => {
  const backend = await startBackend();
  await using plane = await startDataPlane((port) => simpleSetup(port, backend.port));
  expect(await raw(plane.port, `${POST}${BODY}`)).toMatch(/^HTTP\/1\.1 200/);
  expect(backend.got).toEqual([{ body: 'hello', trailers: [], announced: undefined }]);
});

test('trailers of a client of HTTP/2 reach a backend of HTTP/1.1, and those of the backend the client', async () => {
  const backend = await startBackend();
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, backend.port),
    policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
  ]);
  const session = connectHttp2(`http://127.0.0.1:${plane.port}`);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':method': 'POST', trailer: 'x-sum' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'x-sum': '5' }));
  const trailers = new Promise((resolve) =>
    stream.once('trailers', (fields: Record<string, unknown>) => resolve(fields['x-back'])),
  );
  stream.end('hello');
  stream.resume();
  expect(await trailers).toBe('z');
  expect(backend.got).toEqual([{ body: 'hello', trailers: ['x-sum', '5'], announced: 'x-sum' }]);
});

test('trailers of a client of HTTP/1.1 reach a backend of HTTP/2, and those of the backend the client', async () => {
  const got: unknown[] = [];
  const server = createHttp2Server();
  server.on('stream', (stream) => {
    stream.on('trailers', (fields: Record<string, unknown>) => got.push(fields['x-sum']));
    stream.resume().on('end', () => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'x-back': 'z' }));
      stream.end('answer');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, portOf(server.address())),
    policy('ProxyBackend', { backend: { http: { version: 'HTTP2' } } }),
  ]);
  const answer = await raw(plane.port, ANNOUNCED);
  expect(got).toEqual(['5']);
  expect(answer).toMatch(/\r\n0\r\nx-back: z\r\n\r\n$/i);
});

test.each(['resets the connection', 'answers nonsense'])(
  'a backend that %s is told of like any other',
  async (what) => {
    await using backend = await startTcp((socket) => {
      socket.once('data', () =>
        what === 'answers nonsense' ? socket.end('SSH-2.0\r\n\r\n') : socket.resetAndDestroy(),
      );
    });
    await using plane = await startDataPlane((port) => simpleSetup(port, backend.port));
    expect(await raw(plane.port, ANNOUNCED)).toMatch(/^HTTP\/1\.1 503/);
  },
);

test('a backend that cannot be reached, or is silent for too long', async () => {
  await using silent = await startTcp(() => {});
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, silent.port),
    policy('ProxyBackend', { backend: { http: { requestTimeout: '100ms' } } }),
  ]);
  expect(await raw(plane.port, ANNOUNCED)).toMatch(/^HTTP\/1\.1 50[34]/);
  await plane.configure(simpleSetup(plane.port, 1));
  expect(await raw(plane.port, ANNOUNCED)).toMatch(/^HTTP\/1\.1 503/);
});

test('a client that goes in the middle of its body takes the request with it', async () => {
  const end = Promise.withResolvers<void>();
  const begin = Promise.withResolvers<void>();
  await using backend = await startTcp((socket) => {
    socket.once('data', () => begin.resolve()).once('close', () => end.resolve());
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, backend.port));
  const headers = { host: 'a.test', trailer: 'x-sum' };
  const request = openRequest({ port: plane.port, host: '127.0.0.1', method: 'POST', headers });
  request.on('error', () => {});
  request.write('hello');
  await begin.promise;
  request.destroy();
  await expect(end.promise).resolves.toBeUndefined();
});
