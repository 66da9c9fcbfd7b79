import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { serverIdentity } from '../../../../mocks/tls/suite.ts';
import { stepKinds } from '../../steps/registry.ts';
import type { Observation, StepContext } from '../../steps/step.ts';
import type { Endpoint } from '../../sut/session.ts';
import { stepContext } from '../support/step-context.ts';

const servers: (Server | HttpServer)[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map(async (server) => new Promise((resolve) => server.close(resolve))));
});

async function listen(server: Server | HttpServer): Promise<Endpoint> {
  servers.push(server);
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { host: '127.0.0.1', port: typeof address === 'object' && address !== null ? address.port : 0 };
}

/** A server that answers the first bytes of a connection with these bytes and then does as told. */
async function scripted(
  answer: string,
  then: (socket: Socket) => void = () => undefined,
): Promise<{ readonly data: Endpoint; readonly got: string[] }> {
  const got: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => {
      got.push(bytes.toString('latin1'));
      socket.write(answer, () => then(socket));
    });
  });
  return { data: await listen(server), got };
}

async function run(kind: string, input: unknown, context: StepContext): Promise<Observation> {
  const seen = await stepKinds[kind]?.run(input, context);
  context.background.stop();
  return seen ?? {};
}

describe('http', () => {
  test('sends method, raw target, host and headers in order, and shows everything that came back', async () => {
    const server = await scripted('HTTP/1.1 201 Made\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 7\r\n\r\n{"a":1}');
    const context = await stepContext(server);
    const seen = await run(
      'http',
      {
        POST: '/a/../b?c=%20',
        headers: [
          ['X-One', '1'],
          ['x-one', '2'],
        ],
        json: { b: 2 },
      },
      context,
    );
    expect(server.got[0]).toBe(
      'POST /a/../b?c=%20 HTTP/1.1\r\nHost: c-1.test\r\nX-One: 1\r\nx-one: 2\r\ncontent-type: application/json\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{"b":2}',
    );
    expect(seen).toMatchObject({
      status: 201,
      reason: 'Made',
      headers: { 'x-a': ['1', '2'] },
      rawHeaders: [
        ['X-A', '1'],
        ['x-a', '2'],
        ['Content-Length', '7'],
      ],
      body: '{"a":1}',
      bytes: 7,
      json: { a: 1 },
      complete: true,
      closed: 'complete',
    });
    expect(seen).not.toHaveProperty('failure');
  });

  test('a body may go out in chunks with trailers', async () => {
    const server = await scripted('HTTP/1.1 204 x\r\n\r\n');
    await run(
      'http',
      { method: 'PURGE', path: '/', chunks: ['ab', 'c'], trailers: { t: 'v' } },
      await stepContext(server),
    );
    expect(server.got[0]).toMatch(/^PURGE \/ HTTP\/1\.1\r\n/);
    expect(server.got[0]).toContain('Transfer-Encoding: chunked\r\n');
  });

  test.each([
    ['timeout', '', (): void => undefined],
    ['closed', '', (socket: Socket): void => void socket.end()],
    ['closed', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi', (socket: Socket): void => void socket.end()],
    ['timeout', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi', (): void => undefined],
    ['malformed', 'HTTP/9.9 what\r\n\r\n', (): void => undefined],
  ] as const)('%s after %j is a named failure', async (failure, answer, then) => {
    const seen = await run('http', { GET: '/' }, await stepContext(await scripted(answer, then), { limitMs: 80 }));
    expect(seen).toMatchObject({ failure, closed: failure, complete: false });
  });

  test('a port without listener is refused', async () => {
    const { data } = await scripted('');
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await run('http', { GET: '/' }, await stepContext({ data }))).toMatchObject({ failure: 'refused' });
  });

  test('opens the gate that an event of the answer stands for', async () => {
    const server = await scripted('HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\ndata: x\n\n');
    const context = await stepContext(server, {
      on: [
        { event: 1, open: 'go' },
        { head: true, open: 'head' },
      ],
      limitMs: 200,
    });
    const opened = context.peers.gates.wait('go', 1000);
    const seen = await run('http', { GET: '/' }, context);
    expect(await opened).toBe('opened');
    expect(seen['gates']).toEqual({ go: 'opened', head: 'opened' });
  });
});

describe('raw', () => {
  test('sends the bytes as they stand and parses the answers', async () => {
    const server = await scripted('HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n');
    const seen = await run(
      'raw',
      { send: 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', method: 'CONNECT' },
      await stepContext(server),
    );
    expect(server.got).toEqual(['CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n']);
    expect(seen).toMatchObject({ status: 405, closed: false, text: 'HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n' });
  });

  test('waits for the close when the case asks for it, and names a connection that stays open', async () => {
    const closing = await scripted('HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n', (socket) => void socket.end());
    expect(
      await run('raw', { send: 'x\r\n\r\n' }, await stepContext(closing, { expect: { closed: true } })),
    ).toMatchObject({ status: 400, closed: true });
    const open = await scripted('HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n');
    const seen = await run(
      'raw',
      { send: 'x\r\n\r\n' },
      await stepContext(open, { expect: { closed: true }, limitMs: 60 }),
    );
    expect(seen).toMatchObject({ status: 400, closed: false, failure: 'timeout' });
  });

  test('sends the next part only after a text has come', async () => {
    const got: string[] = [];
    const data = await listen(
      createServer((socket) => {
        socket.on('data', (bytes: Buffer) => {
          got.push(bytes.toString());
          socket.write(
            got.length === 1 ? 'HTTP/1.1 100 Continue\r\n\r\n' : 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
          );
        });
      }),
    );
    const seen = await run(
      'raw',
      { send: ['head', { await: '100 Continue' }, { base64: 'Ym9keQ==' }] },
      await stepContext({ data }),
    );
    expect(got).toEqual(['head', 'body']);
    expect(seen).toMatchObject({ status: 200 });
  });

  test('sends them over TLS and tells what the handshake said', async () => {
    const got: string[] = [];
    const { certificate: cert, key } = serverIdentity(true, '127.0.0.1');
    const data = await listen(
      createTlsServer({ cert, key, ALPNProtocols: ['http/1.1'] }, (socket) => {
        socket.on('error', () => undefined);
        socket.on('data', (bytes: Buffer) => {
          got.push(bytes.toString());
          if (got.length === 2) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
          else socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        });
      }),
    );
    const input = { send: ['head', { await: '100 Continue' }, 'body'], tls: true };
    expect(await run('raw', input, await stepContext({ data }, { expect: { closed: true } }))).toMatchObject({
      status: 200,
      closed: true,
      handshake: { version: '1.3', alpn: 'http/1.1' },
    });
    expect(got).toEqual(['head', 'body']);
    const refused = await run('raw', { send: 'x', tls: { alpn: ['h2'] } }, await stepContext({ data }));
    expect(refused).toMatchObject({ failure: 'alert', bytes: 0 });
    expect(refused).not.toHaveProperty('handshake');
  });

  test('resets what is below TLS', async () => {
    const { certificate: cert, key } = serverIdentity(true, '127.0.0.1');
    const gone = Promise.withResolvers<unknown>();
    const data = await listen(
      createTlsServer({ cert, key }, (socket) => {
        socket.on('error', (error: NodeJS.ErrnoException) => gone.resolve(error.code));
        socket.write('hello');
      }),
    );
    await run('raw', { send: [{ await: 'hello' }, { reset: true }], tls: true }, await stepContext({ data }));
    expect(await gone.promise).toBe('ECONNRESET');
  });
});

describe('trace', () => {
  const record = { eventStart: null, eventEnd: 5, severity: 'info', message: { type: 'requestStarted' } };

  test('is armed by the first bytes, collects events in the background and sees the end', async () => {
    const methods: (string | undefined)[] = [];
    const admin = await listen(
      createHttpServer((incoming, answer) => {
        methods.push(`${incoming.method} ${incoming.url}`);
        if (incoming.method === 'POST') {
          answer.writeHead(405).end();
          return;
        }
        answer.writeHead(200, { 'content-type': 'text/event-stream' });
        answer.write(': ready\n\n');
        answer.end(`data: ${JSON.stringify(record)}\n\ndata: not json\n\n`);
      }),
    );
    const context = await stepContext({ data: admin, admin });
    expect(await stepKinds['trace']?.run({ watch: 't', expression: 'a == b' }, context)).toMatchObject({
      status: 200,
      armed: true,
    });
    const watch = context.background.traces.get('t');
    await watch?.settled(1000);
    expect(watch?.observation()).toMatchObject({
      closed: true,
      contentType: 'text/event-stream',
      records: [record],
      events: [{ type: 'requestStarted', eventEnd: 5, message: { type: 'requestStarted' } }],
      malformed: ['not json'],
    });
    expect(methods).toEqual(['POST /debug/trace?expression=a+%3D%3D+b', 'GET /debug/trace?expression=a+%3D%3D+b']);
  });

  test('an item is what stands before an empty line, all its data lines together; others are malformed, and records', async () => {
    const admin = await listen(
      createHttpServer((_, answer) => {
        answer.writeHead(200, { 'content-type': 'text/event-stream' });
        answer.write(': ready\n\ndata: {\ndata: "eventEnd": 1}\n\ndata: hello\n\n');
        answer.write('data: {"eventEnd": 2}\ndata: {"eventEnd": 3}\n\n');
        answer.end('data: {"eventEnd": 4}\n');
      }),
    );
    const context = await stepContext({ data: admin, admin });
    await stepKinds['trace']?.run({ watch: 't' }, context);
    const watch = context.background.traces.get('t');
    await watch?.settled(1000);
    expect(watch?.observation()).toMatchObject({
      records: [{ eventEnd: 1 }, { eventEnd: 2 }, { eventEnd: 3 }, { eventEnd: 4 }],
      malformed: ['hello', '{"eventEnd": 2}\n{"eventEnd": 3}', '{"eventEnd": 4}'],
    });
  });

  test('a stream that says nothing before its first event is armed after a while, unless it was said to begin with bytes', async () => {
    const admin = await listen(createHttpServer((_, answer) => answer.writeHead(200).flushHeaders()));
    const context = await stepContext({ data: admin, admin });
    expect(await run('trace', { watch: 't' }, context)).toMatchObject({ status: 200, armed: true });
    const strict = await stepContext({ data: admin, admin }, { limitMs: 300 });
    const session = { ...strict.session, unspecified: { 'U-002': 'first-bytes' } };
    expect(await run('trace', { watch: 't' }, { ...strict, session })).toMatchObject({
      armed: false,
      failure: 'timeout',
    });
  });

  test('so is one whose head comes with its first event; what is refused is not', async () => {
    const silent = await listen(createHttpServer(() => {}));
    expect(await run('trace', { watch: 't' }, await stepContext({ data: silent, admin: silent }))).toMatchObject({
      status: 0,
      armed: true,
    });
    const refusing = await listen(createHttpServer((_, answer) => answer.writeHead(503).end('not now')));
    expect(await run('trace', { watch: 't' }, await stepContext({ data: refusing, admin: refusing }))).toMatchObject({
      status: 503,
      armed: false,
    });
  });

  test('lines end as those of server-sent events may, wherever chunks end, and a byte order mark may come first', async () => {
    const admin = await listen(
      createHttpServer((_, answer) => {
        const pieces = [
          '\uFEFFdata: {"eventEnd": 1}\r\r',
          'data: {"eventEnd":\r',
          '\ndata: 2}\r\n\r',
          '\ndata: {"eventEnd": 3}\n\n',
        ];
        answer.writeHead(200, { 'content-type': 'text/event-stream' });
        const writing = setInterval(() => {
          const piece = pieces.shift();
          if (piece !== undefined) {
            answer.write(piece);
            return;
          }
          clearInterval(writing);
          answer.end();
        }, 5);
      }),
    );
    const context = await stepContext({ data: admin, admin });
    await stepKinds['trace']?.run({ watch: 't' }, context);
    const watch = context.background.traces.get('t');
    await watch?.settled(1000);
    expect(watch?.observation()).toMatchObject({
      records: [{ eventEnd: 1 }, { eventEnd: 2 }, { eventEnd: 3 }],
      malformed: [],
    });
  });
});
