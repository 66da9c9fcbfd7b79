import { spawn, spawnSync } from 'node:child_process';
import { connect as dial, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { policy, raw, simpleSetup, startDataPlane, startTcp, startUpstream } from '../support/data-plane.ts';

const CONNECT = 'CONNECT elsewhere.test:443 HTTP/1.1\r\nHost: elsewhere.test:443\r\n\r\n';
const mode = (name: string): object => policy('Gateway', { frontend: { connect: { mode: name } } });
const greeter = () => startTcp((socket) => socket.end('hello from here'));

const inner = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
const to = (port: number): string => CONNECT.replaceAll('elsewhere.test:443', `anything.test:${port}`);

describe('mode Deny, and none', () => {
  test.each([undefined, 'Deny'])('%s: 405, whatever host is named', async (name) => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port, {
        gateway: { listeners: [{ name: 'http', port, protocol: 'HTTP', hostname: 'example.test' }] },
      }),
      ...(name === undefined ? [] : [mode(name)]),
    ]);
    expect(await raw(plane.port, CONNECT)).toMatch(/^HTTP\/1.1 405 /);
    expect(await raw(plane.port, CONNECT.replaceAll('elsewhere.test:443', 'example.test:80'))).toMatch(
      /^HTTP\/1.1 405 /,
    );
    expect(upstream.received).toEqual([]);
  });
});

describe('mode Route', () => {
  it('passes bytes both ways as they are, to the backend of the route', async () => {
    await using echo = await startTcp((socket) => socket.pipe(socket));
    await using plane = await startDataPlane((port) => [...simpleSetup(port, echo.port), mode('Route')]);
    const bytes = `\0\xff GET / HTTP/1.1\r\n\r\n${'x'.repeat(200_000)}end`;
    expect(await exchange(plane.port, CONNECT, bytes)).toBe(`HTTP/1.1 200 OK\r\n\r\n${bytes}`);
  });

  it('passes on what came with the request, and ends with the backend', async () => {
    const heard: string[] = [];
    await using backend = await startTcp((socket) => {
      socket.setEncoding('latin1').once('data', (first: string) => {
        heard.push(first);
        socket.end('bye');
      });
    });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, backend.port), mode('Route')]);
    expect(await raw(plane.port, `${CONNECT}early`)).toBe('HTTP/1.1 200 OK\r\n\r\nbye');
    expect(heard).toEqual(['early']);
  });

  it('is for the routes of the host that is named, and for their policies', async () => {
    await using backend = await greeter();
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, backend.port, { rule: { matches: [{ headers: [{ name: 'x-in', value: 'yes' }] }] } }),
      mode('Route'),
      policy('HTTPRoute', {
        traffic: { authorization: { policy: { matchExpressions: ["request.headers['x-who'] == 'me'"] } } },
      }),
    ]);
    const asking = (fields: string): string => CONNECT.replace(/\r\n$/, `${fields}\r\n`);
    expect(await raw(plane.port, CONNECT)).toMatch(/^HTTP\/1.1 404 /);
    expect(await raw(plane.port, asking('x-in: yes\r\n'))).toMatch(/^HTTP\/1.1 403 /);
    expect(await raw(plane.port, asking('x-in: yes\r\nx-who: me\r\n'))).toBe('HTTP/1.1 200 OK\r\n\r\nhello from here');
  });

  it('answers 503 where the backend does not accept, and serves other requests as ever', async () => {
    await using plane = await startDataPlane((port) => [...simpleSetup(port, 1), mode('Route')]);
    expect(await raw(plane.port, CONNECT)).toMatch(/^HTTP\/1.1 503 /);
    await using upstream = await startUpstream();
    await plane.configure([...simpleSetup(plane.port, upstream.port), mode('Route')]);
    expect(await raw(plane.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
  });

  it('closes the backend when the client goes', async () => {
    const gone = Promise.withResolvers<string>();
    await using backend = await startTcp((socket) => {
      socket.resume().write('up');
      socket.on('close', () => {
        gone.resolve('closed');
      });
    });
    await using plane = await startDataPlane((port) => [...simpleSetup(port, backend.port), mode('Route')]);
    const socket = dial(plane.port, '127.0.0.1', () => socket.write(CONNECT));
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        if (chunk.toString().endsWith('up')) socket.resetAndDestroy();
      });
    expect(await gone.promise).toBe('closed');
  });
});

describe('mode Route, with more on the way', () => {
  it('outlives a backend that resets the connection before anybody has taken it over', async () => {
    const { promise: accepted, resolve: accept } = Promise.withResolvers<Socket>();
    await using backend = await startTcp(accept);
    await using processor = await startTcp((socket) => {
      void refuseLate(socket);
    });
    const refuseLate = async (socket: Socket): Promise<void> => {
      const connection = await accepted;
      connection.resetAndDestroy();
      // When this is answered the proxy has read of the reset.
      await raw(plane.port, 'nonsense\r\n\r\n');
      socket.destroy();
    };
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, backend.port),
      {
        apiVersion: 'proxy.example/v1alpha1',
        kind: 'ProxyBackend',
        metadata: { name: 'processor' },
        spec: { static: { host: '127.0.0.1', port: processor.port } },
      },
      mode('Route'),
      policy('HTTPRoute', {
        traffic: {
          extProc: {
            backendRef: { group: 'proxy.example', kind: 'ProxyBackend', name: 'processor' },
            processingOptions: { requestHeaderMode: 'Skip', requestTrailerMode: 'Skip' },
          },
        },
      }),
    ]);
    expect(await raw(plane.port, CONNECT)).toMatch(/^HTTP\/1.1 5\d\d /);
  });

  it('has no copy: what a mirror were sent is no request', async () => {
    const heard: string[] = [];
    await using backend = await greeter();
    await using mirror = await startTcp((socket) => {
      socket.on('data', (bytes) => {
        heard.push(bytes.toString('latin1'));
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
      });
    });
    const copies = { name: 'copies' };
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, backend.port, {
        rule: {
          filters: [
            {
              type: 'RequestMirror',
              requestMirror: { backendRef: { group: 'proxy.example', kind: 'ProxyBackend', ...copies } },
            },
          ],
        },
      }),
      {
        apiVersion: 'proxy.example/v1alpha1',
        kind: 'ProxyBackend',
        metadata: copies,
        spec: { static: { host: '127.0.0.1', port: mirror.port } },
      },
      mode('Route'),
    ]);
    expect(await raw(plane.port, CONNECT)).toBe('HTTP/1.1 200 OK\r\n\r\nhello from here');
    await raw(plane.port, CONNECT);
    expect(heard).toEqual([]);
  });
});

describe('mode Tunnel', () => {
  it('goes on as a new connection at the port that is named, with what holds there', async () => {
    await using upstream = await startUpstream();
    const ASKED = "source.connectHeaders['x-who'] + ' ' + string(destination.port)";
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      mode('Tunnel'),
      policy('HTTPRoute', {
        traffic: {
          authorization: { policy: { matchExpressions: ["request.path == '/open'"] } },
          transformation: { response: { set: [{ name: 'x-asked', value: ASKED }] } },
        },
      }),
    ]);
    const asking = to(plane.port).replace(/\r\n$/, 'x-who: me\r\n\r\n');
    const answered = await raw(plane.port, asking + inner('/open'));
    expect(answered).toMatch(/^HTTP\/1.1 200 OK\r\n\r\nHTTP\/1.1 200 OK\r\n[^]*hello$/);
    expect(answered).toMatch(new RegExp(`^x-asked: me ${plane.port}\r$`, 'im'));
    expect(await exchange(plane.port, asking, inner('/closed'))).toMatch(/^HTTP\/1.1 200 OK\r\n\r\nHTTP\/1.1 403 /);
    expect(upstream.received.map(({ url }) => url)).toEqual(['/open']);
  });

  it('is refused where nobody listens, and without a port', async () => {
    await using plane = await startDataPlane((port) => [...simpleSetup(port, 9), mode('Tunnel')]);
    expect(await raw(plane.port, to(1))).toMatch(/^HTTP\/1.1 404 /);
    expect(await raw(plane.port, to(99_999))).toMatch(/^HTTP\/1.1 404 /);
    expect(await raw(plane.port, CONNECT.replace('elsewhere.test:443 ', 'elsewhere.test '))).toMatch(/^HTTP\/1.1 400 /);
  });

  const hasCurl = spawnSync('curl', ['--version']).status === 0;

  // Without curl there is nobody to ask.
  test.skipIf(!hasCurl)('curl --proxytunnel is served through it', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => [...simpleSetup(port, upstream.port), mode('Tunnel')]);
    const proxy = `http://127.0.0.1:${plane.port}`;
    const target = `http://example.test:${plane.port}/through`;
    const client = spawn('curl', ['-s', '--proxytunnel', '--proxy', proxy, target]);
    expect(await text(client.stdout)).toBe('hello');
    expect(upstream.received.map(({ url }) => url)).toEqual(['/through']);
  });
});

it('takes any target without harm to others', async () => {
  await using backend = await greeter();
  await using plane = await startDataPlane((port) => [...simpleSetup(port, backend.port), mode('Route')]);
  const target = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 40 }).map((word) => word.replaceAll(/[\r\n]/g, '')),
    fc.tuple(fc.domain(), fc.nat(99_999)).map(([host, port]) => `${host}:${port}`),
    fc.constantFrom(
      '[::1]:443',
      '[::1',
      'a:b:c',
      ':443',
      'user@host:1',
      'http://a:1/',
      '/',
      '*',
      'a:',
      'a:-1',
      'a:1:2',
    ),
  );
  await fc.assert(
    fc.asyncProperty(target, async (named) => {
      const answer = await raw(plane.port, `CONNECT ${named} HTTP/1.1\r\nHost: ${named}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 (?:200 OK\r\n\r\nhello from here$|[45]\d\d )/);
    }),
    { numRuns: 60, examples: [['a:1'], ['[::1]:443'], ['a:b:c'], ['']] },
  );
});

/** Sends `then` behind the head of the answer and ends; gives all that came back. */
function exchange(port: number, request: string, then: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = dial(port, '127.0.0.1', () => socket.write(request, 'latin1'));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      if (answer === '') socket.end(then, 'latin1');
      answer += chunk;
    });
    socket.on('close', () => {
      resolve(answer);
    });
    socket.on('error', reject);
  });
}
