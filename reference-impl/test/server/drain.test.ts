import { createServer, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { expect, it } from 'vitest';
import { get, policy, simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const at = (...ports: number[]) => ({
  gateway: { listeners: ports.map((port) => ({ name: `l${port}`, port, protocol: 'HTTP' })) },
});

it('a port that is taken away ends idle connections, answers what is under way and says so, and leaves other ports alone', async () => {
  const asked = Promise.withResolvers<() => void>();
  await using upstream = await startUpstream((request, response) => {
    if (request.headers['x-wait'] === undefined) response.end('hello');
    else asked.resolve(() => response.end('late'));
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const other = await freePort();
  await plane.configure(simpleSetup(plane.port, upstream.port, at(plane.port, other)));

  const idle = talk(plane.port, GET);
  const elsewhere = talk(other, GET);
  await Promise.all([idle.has('hello'), elsewhere.has('hello')]);
  const silent = talk(plane.port, '');
  const busy = talk(plane.port, GET.replace('Host', 'X-Wait: 1\r\nHost'));
  const release = await asked.promise;
  await plane.configure(simpleSetup(plane.port, upstream.port, at(other)));
  await Promise.all([idle.ended, silent.ended]);
  release();
  await busy.ended;
  expect(busy.heard()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*late$/i);

  elsewhere.socket.write(GET);
  await elsewhere.has('hello', 2);
  expect(elsewhere.heard()).not.toMatch(/connection: close/i);
  elsewhere.socket.destroy();
});

it('no request is lost while other ports come and go', async () => {
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const other = await freePort();
  const kept = talk(plane.port, '');
  for (let round = 1; round <= 10; round += 1) {
    kept.socket.write(GET);
    const ports = round % 2 === 0 ? [plane.port] : [plane.port, other];
    const [answer] = await Promise.all([
      get(plane.port),
      kept.has('hello', round),
      plane.configure(simpleSetup(plane.port, upstream.port, at(...ports))),
    ]);
    expect(answer).toContain('hello');
  }
  expect(upstream.received).toHaveLength(20);
  kept.socket.destroy();
});

it('no request is lost on either version of HTTP while the listener beside is added, changed and removed', async () => {
  await using upstream = await startUpstream();
  const http1 = policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } });
  const setup = (port: number, ...others: object[]): object[] => {
    const listeners = [{ name: 'kept', port, protocol: 'HTTP' }, ...others];
    return [...simpleSetup(port, upstream.port, { gateway: { listeners } }), http1];
  };
  await using plane = await startDataPlane((port) => setup(port));
  const other = await freePort();
  const kept = talk(plane.port, '');
  const session = connectHttp2(`http://127.0.0.1:${plane.port}`);
  const beside = { name: 'other', port: other };
  const steps = [
    [{ ...beside, protocol: 'HTTP' }],
    [{ ...beside, protocol: 'HTTP', hostname: 'another.test' }],
    [{ ...beside, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'nobody' }] } }],
    [],
  ];
  for (const [round, others] of [...steps, ...steps].entries()) {
    kept.socket.write(GET);
    const stream = session.request({ ':path': '/' });
    const [answer, head] = await Promise.all([
      get(plane.port),
      once(stream, 'response'),
      kept.has('hello', round + 1),
      plane.configure(setup(plane.port, ...others)),
    ]);
    expect(answer).toContain('hello');
    expect(head[0]).toMatchObject({ ':status': 200 });
    stream.resume();
  }
  expect(upstream.received).toHaveLength(3 * 2 * steps.length);
  expect(plane.ports()).toEqual([plane.port]);
  session.destroy();
  kept.socket.destroy();
});

it('the end cuts what a port that was taken away still has under way', async () => {
  await using upstream = await startUpstream();
  const plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const busy = talk(plane.port, 'GET / HTTP/1.1\r\nHo');
  // Whoever is answered behind it shows that its first bytes were read.
  expect(await get(plane.port)).toContain('hello');
  await plane.configure([]);
  await plane[Symbol.asyncDispose]();
  await busy.ended;
  expect(busy.heard()).toBe('');
});

interface Talk {
  readonly socket: Socket;
  readonly heard: () => string;
  /** Resolves when the word has come so often. */
  readonly has: (word: string, times?: number) => Promise<void>;
  readonly ended: Promise<unknown>;
}

function talk(port: number, first: string): Talk {
  const socket = connect(port, '127.0.0.1', () => {
    if (first !== '') socket.write(first);
  });
  let heard = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    heard += chunk;
  });
  socket.on('error', () => {
    // A connection that is cut has ended too.
  });
  return {
    socket,
    heard: () => heard,
    has: async (word, times = 1) => {
      while (heard.split(word).length <= times) await once(socket, 'data');
    },
    ended: once(socket, 'close'),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => {
        resolve(port);
      });
    });
  });
}
