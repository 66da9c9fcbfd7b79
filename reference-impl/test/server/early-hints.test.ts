import { createServer, connect, type Http2Server } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import { policy, raw, simpleSetup, startDataPlane, startTcp } from '../support/data-plane.ts';

const HINTS =
  'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload, </b>; title="x; y"\r\nX-Other: secret\r\n\r\n' +
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </c>; rel=preload\r\nContent-Length: 5\r\n\r\n';
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfinal';

/** A backend of HTTP/1.1 that sends these pieces, each when the one before has left. */
const says = (...pieces: readonly string[]): ReturnType<typeof startTcp> =>
  startTcp((socket) => {
    socket.setNoDelay(true).on('data', () => {
      const next = ([piece, ...rest]: readonly string[]): void => {
        if (piece !== undefined) socket.write(piece, 'latin1', () => setImmediate(next, rest));
      };
      next(pieces);
    });
  });

const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n';
const SEEN =
  'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload, </b>; title="x; y"\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </c>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\n';

test.each([1, 3, 50, 1000])(
  'of a backend of HTTP/1.1 the links reach a client of HTTP/1.1, in pieces of %i bytes',
  async (size) => {
    const bytes = HINTS + FINAL;
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    );
    await using backend = await says(...pieces);
    await using plane = await startDataPlane((port) => simpleSetup(port, backend.port));
    const answer = await raw(plane.port, GET);
    expect(answer.slice(0, SEEN.length)).toBe(SEEN);
    expect(answer).toMatch(/\r\n\r\nfinal$/);
    expect(answer).not.toMatch(/secret|100 Continue/);
  },
);

test('they reach the client before there is an answer', async () => {
  const seen = Promise.withResolvers<void>();
  await using backend = await startTcp((socket) => {
    socket.once('data', () => {
      socket.write(HINTS, 'latin1');
      void seen.promise.then(() => socket.write(FINAL));
    });
  });
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, backend.port),
    policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
  ]);
  const session = connect(`http://127.0.0.1:${plane.port}`);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':path': '/' });
  const links: unknown[] = [];
  stream.on('headers', (fields: Record<string, unknown>) => {
    links.push([fields[':status'], fields['link']]);
    if (links.length === 2) seen.resolve();
  });
  const status = new Promise((resolve) => stream.once('response', (fields) => resolve(fields[':status'])));
  stream.end();
  expect(await status).toBe(200);
  expect(links).toEqual([
    [103, '</a.css>; rel=preload, </b>; title="x; y"'],
    [103, '</c>; rel=preload'],
  ]);
});

test('of a backend of HTTP/2 the links reach a client of HTTP/1.1', async () => {
  const server: Http2Server = createServer();
  server.on('stream', (stream) => {
    stream.additionalHeaders({ ':status': 103, link: '</a>; rel=preload', 'x-other': 'secret' });
    stream.respond({ ':status': 200 });
    stream.end('final');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const upstream = typeof address === 'object' && address !== null ? address.port : 0;
  await using plane = await startDataPlane((port) => [
    ...simpleSetup(port, upstream),
    policy('ProxyBackend', { backend: { http: { version: 'HTTP2' } } }),
  ]);
  const answer = await raw(plane.port, GET);
  expect(answer).toMatch(/^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK/);
  expect(answer).not.toContain('secret');
});

test('a client of HTTP/1.0 gets the answer alone, and so does one whose backend hints at nothing', async () => {
  await using backend = await says(HINTS + FINAL);
  await using plane = await startDataPlane((port) => simpleSetup(port, backend.port));
  expect(await raw(plane.port, 'GET / HTTP/1.0\r\nHost: a.test\r\n\r\n')).toMatch(/^HTTP\/1\.1 200/);
  await using silent = await says(`HTTP/1.1 103 Early Hints\r\nX-Other: secret\r\n\r\n${FINAL}`);
  await plane.configure(simpleSetup(plane.port, silent.port));
  expect(await raw(plane.port, GET)).toMatch(/^HTTP\/1\.1 200/);
});

test('of very many hints the first 32 reach the client', async () => {
  await using backend = await says('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100) + FINAL);
  await using plane = await startDataPlane((port) => simpleSetup(port, backend.port));
  const answer = await raw(plane.port, GET);
  expect(answer.split('103 Early Hints')).toHaveLength(33);
  expect(answer).toMatch(/\r\n\r\nfinal$/);
});

test('hints without end are no answer', async () => {
  await using backend = await startTcp((socket) => {
    const flood = (): void => {
      while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)));
    };
    socket.once('data', flood).on('drain', flood);
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, backend.port));
  expect(await raw(plane.port, GET)).toMatch(/HTTP\/1\.1 503/);
});
