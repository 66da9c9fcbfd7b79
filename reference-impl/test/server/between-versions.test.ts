import { createServer as createHttp1, request as openRequest } from 'node:http';
import {
  connect,
  constants,
  createServer as createHttp2,
  type ClientHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { connect as connectTcp, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  block,
  DATA,
  END_HEADERS,
  frame,
  HEADERS,
  number,
  PREFACE,
  RST_STREAM,
  settings,
} from '../support/http2-frames.ts';
import { policy, raw, simpleSetup, startDataPlane, type DataPlane } from '../support/data-plane.ts';

// A client of one version of HTTP and a backend of the other: what one side gives up reaches the other, and says so in its own words.

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A proxy that speaks this version to a backend on that port. */
function planeTo(upstream: number, version: 'HTTP1' | 'HTTP2'): Promise<DataPlane> {
  return startDataPlane((port) => [
    ...simpleSetup(port, upstream),
    policy('ProxyBackend', { backend: { http: { version } } }),
  ]);
}

function clientOf({ port }: DataPlane): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  return session;
}

/** A backend of HTTP/2 that does this with each stream. */
async function startHttp2(serve: (stream: ServerHttp2Stream) => void): Promise<number> {
  const server = createHttp2();
  const sessions = new Set<{ readonly destroy: () => void }>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream) => {
    stream.on('error', () => {
      // What a test resets has an error at both ends.
    });
    serve(stream);
  });
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return listening(server);
}

test('a stream that a client resets in the middle of its body ends the request to a backend of HTTP/1.1', async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<boolean>();
  const server = createHttp1((request) => {
    request.once('data', () => begun.resolve());
    request.on('error', () => {});
    request.once('close', () => ended.resolve(request.complete));
  });
  onTestFinished(() => void server.close());
  await using plane = await planeTo(await listening(server), 'HTTP1');
  // Frame by frame: Node's own client ends the body before it resets the stream.
  const socket = connectTcp(plane.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = block([':method', 'POST'], [':scheme', 'http'], [':path', '/'], [':authority', 'a.test']);
  socket.write(
    Buffer.concat([Buffer.from(PREFACE), settings(), frame(HEADERS, END_HEADERS, 1, head), frame(DATA, 0, 1, 'hello')]),
  );
  await begun.promise;
  socket.write(frame(RST_STREAM, 0, 1, number(constants.NGHTTP2_CANCEL)));
  expect(await ended.promise).toBe(false);
});

test('an answer that a client of HTTP/2 no longer wants is no longer sent by a backend of HTTP/1.1, and its connection to the proxy goes on', async () => {
  const gone = Promise.withResolvers<string>();
  const server = createHttp1((request, response) => {
    if (request.url === '/next') {
      response.end('next');
      return;
    }
    response.write('first');
    response.once('close', () => gone.resolve(response.writableFinished ? 'finished' : 'cut'));
  });
  onTestFinished(() => void server.close());
  await using plane = await planeTo(await listening(server), 'HTTP1');
  const session = clientOf(plane);
  // Should it break, what is awaited below fails the test, and no error is left over for the whole run.
  session.on('error', () => {});
  const stream = session.request({ ':path': '/' });
  stream.on('error', () => {});
  stream.once('data', () => stream.close(constants.NGHTTP2_CANCEL));
  expect(await gone.promise).toBe('cut');
  const next = session.request({ ':path': '/next' }).setEncoding('utf8');
  expect(await next.toArray()).toEqual(['next']);
});

test('a client of HTTP/1.1 that leaves resets the stream to a backend of HTTP/2', async () => {
  const begun = Promise.withResolvers<void>();
  const code = Promise.withResolvers<number | undefined>();
  const port = await startHttp2((stream) => {
    stream.once('data', () => begun.resolve());
    stream.once('close', () => code.resolve(stream.rstCode));
  });
  await using plane = await planeTo(port, 'HTTP2');
  const request = openRequest({ port: plane.port, host: '127.0.0.1', method: 'POST', headers: { host: 'a.test' } });
  request.on('error', () => {});
  request.write('hello');
  await begun.promise;
  request.destroy();
  expect(await code.promise).toBe(constants.NGHTTP2_CANCEL);
});

test('an answer of HTTP/2 that is reset in the middle has no end for a client of HTTP/1.1', async () => {
  const port = await startHttp2((stream) => {
    stream.respond({ ':status': 200 });
    stream.write('half', () => stream.destroy(new Error('no more')));
  });
  await using plane = await planeTo(port, 'HTTP2');
  const answer = await raw(plane.port, 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*transfer-encoding: chunked/i);
  expect(answer).not.toMatch(/\r\n0\r\n/);
});

test('a stream that a backend of HTTP/2 refuses before any answer is a 503, and the next request is served', async () => {
  let asked = 0;
  const port = await startHttp2((stream) => {
    asked += 1;
    if (asked === 1) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    stream.respond({ ':status': 200 });
    stream.end('served');
  });
  await using plane = await planeTo(port, 'HTTP2');
  const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n';
  expect(await raw(plane.port, GET)).toMatch(/^HTTP\/1\.1 503/);
  expect(await raw(plane.port, GET)).toMatch(/^HTTP\/1\.1 200 [^]*served/);
});

test('an answer of HTTP/1.1 that breaks off is a stream that is reset', async () => {
  const server = createHttp1((_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => response.socket?.resetAndDestroy());
  });
  onTestFinished(() => void server.close());
  await using plane = await planeTo(await listening(server), 'HTTP1');
  const stream = clientOf(plane).request({ ':path': '/' });
  const code = new Promise((resolve) => stream.once('close', () => resolve(stream.rstCode)));
  stream.on('error', () => {}).resume();
  expect(await code).toBe(constants.NGHTTP2_INTERNAL_ERROR);
});

test.each(['HTTP1', 'HTTP2'] as const)(
  'a client of HTTP/2 that waits for 100 gets it when a backend of %s is sent the body',
  async (version) => {
    const bodies: string[] = [];
    const http1 = createHttp1((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        bodies.push(body);
        response.end('answer');
      });
    });
    onTestFinished(() => void http1.close());
    const http2 = (): Promise<number> =>
      startHttp2((stream) => {
        let body = '';
        stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        stream.on('end', () => {
          bodies.push(body);
          stream.respond({ ':status': 200 });
          stream.end('answer');
        });
      });
    await using plane = await planeTo(version === 'HTTP1' ? await listening(http1) : await http2(), version);
    const stream = clientOf(plane).request({ ':method': 'POST', expect: '100-continue' }).setEncoding('utf8');
    stream.once('continue', () => stream.end('hello'));
    expect(await stream.toArray()).toEqual(['answer']);
    expect(bodies).toEqual(['hello']);
  },
);
