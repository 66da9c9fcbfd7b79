import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../base/clock.ts';
import { LINGER } from '../../server/linger.ts';
import { get, raw, simpleSetup, startDataPlane, startTcp, startUpstream } from '../support/data-plane.ts';

describe('HTTP/1.1 on a data port', () => {
  it('keeps a connection for the next request, and answers pipelined ones in order', async () => {
    await using upstream = await startUpstream((request, response) => response.end(request.url));
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const requests = ['/1', '/2'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
    const answers = await raw(plane.port, `${requests}GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answers.match(/\r\n\r\n\/\d/g)).toEqual(['\r\n\r\n/1', '\r\n\r\n/2', '\r\n\r\n/3']);
    expect(answers.match(/connection: close/gi)).toHaveLength(1);
  });

  it('answers HEAD with the fields and without the body', async () => {
    await using upstream = await startUpstream((_, response) => response.setHeader('Content-Length', '5').end());
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const answer = await raw(plane.port, 'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/content-length: 5\r\n.*\r\n\r\n$/s);
  });

  it('speaks HTTP/1.0 to a client that does', async () => {
    await using upstream = await startUpstream((_, response) => {
      response.write('a');
      response.end('b');
    });
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const answer = await raw(plane.port, 'GET / HTTP/1.0\r\nHost: a\r\n\r\n');
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer).toMatch(/\r\n\r\nab$/);
  });

  it('takes the authority of an absolute target', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    await get(plane.port, 'http://real.test:99/p?q', ['Host: other.test']);
    expect(upstream.received[0]?.url).toBe('/p?q');
    expect(upstream.received[0]?.rawHeaders.slice(0, 2)).toEqual(['host', 'real.test:99']);
  });

  it('asks for the body with 100 only when somebody reads it', async () => {
    await using upstream = await startUpstream((_, response) => response.end('done'));
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n';
    const text = await new Promise<string>((resolve) => {
      let seen = '';
      const socket = connect(plane.port, '127.0.0.1', () => socket.write(head));
      socket.on('data', (chunk) => {
        seen += chunk.toString('latin1');
        if (seen === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('ok');
      });
      socket.on('close', () => {
        resolve(seen);
      });
    });
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n.*done$/s);
    expect(upstream.received[0]?.body).toBe('ok');
    await plane.configure(simpleSetup(plane.port, upstream.port, { rule: { backendRefs: [] } }));
    // Refused without that word: what follows could be the body or a request, so nothing that follows is read.
    const kept = head.replace('Connection: close\r\n', '');
    expect((await raw(plane.port, `${kept}GET / HTTP/1.1\r\nHost: a\r\n\r\n`)).match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 500',
    ]);
  });

  it('reads away the rest of a body the upstream did not want', async () => {
    await using upstream = await startTcp((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
        socket.pause();
      });
    });
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const body = 'x'.repeat(8 * 1024 * 1024);
    const upload = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answers = await raw(plane.port, `${upload}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 413']);
  });

  it('takes an upgrade for an ordinary request', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const upgrade = ['Host: a', 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Connection: Upgrade'];
    const answer = await raw(plane.port, ['GET / HTTP/1.1', ...upgrade, '', ''].join('\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*connection: close.*hello$/is);
    expect(upstream.received[0]?.rawHeaders).not.toContain('Upgrade');
  });

  it.each(['GET', 'DELETE', 'OPTIONS', 'PATCH'])('sends the body of a %s', async (method) => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    await raw(plane.port, `${method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi`);
    expect(upstream.received[0]).toMatchObject({ method, body: 'hi' });
  });

  it('passes each piece of an endless answer on as it comes', async () => {
    const first = Promise.withResolvers<() => void>();
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      first.resolve(() => response.write('data: 1\n\n'));
    });
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const { promise: head, resolve: headCame } = Promise.withResolvers<void>();
    const { promise: event, resolve: eventCame } = Promise.withResolvers<void>();
    let seen = '';
    const client = connect(plane.port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    client.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      if (seen.includes('\r\n\r\n')) headCame();
      if (seen.includes('data: 1')) eventCame();
    });
    await head;
    (await first.promise)();
    await event;
    client.destroy();
  });

  it('a client that reads only after it has sent everything gets the answer that came before', async () => {
    await using plane = await startDataPlane((port) => simpleSetup(port, 1, { rule: { backendRefs: [] } }));
    const size = 16 * 1024 * 1024;
    const client = connect(plane.port, '127.0.0.1');
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`);
    await new Promise((resolve, reject) => {
      client.once('error', reject);
      client.write(Buffer.alloc(size, 'x'), resolve);
    });
    let answer = '';
    for await (const chunk of client) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 500 .*\r\n\r\n/s);
  });

  it('closes a connection whose client neither ends its answered request nor leaves', async () => {
    const timers: (() => void)[] = [];
    const clock: Clock = {
      ...systemClock,
      after: (delay, task) => {
        if (delay !== LINGER) return systemClock.after(delay, task);
        timers.push(task);
        return () => undefined;
      },
    };
    await using plane = await startDataPlane((port) => simpleSetup(port, 1, { rule: { backendRefs: [] } }), { clock });
    const client = connect({ port: plane.port, host: '127.0.0.1', allowHalfOpen: true });
    client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nConnection: close\r\n\r\nx');
    client.resume();
    await once(client, 'end');
    expect(timers).toHaveLength(1);
    timers[0]?.();
    await new Promise((resolve) => {
      client.on('error', resolve);
      const write = (): void => {
        client.write('x', (error) => {
          if (!error) setImmediate(write);
        });
      };
      write();
    });
  });

  it('does not serve what comes behind the last answer', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port, { rule: { backendRefs: [] } }));
    const client = connect({ port: plane.port, host: '127.0.0.1', allowHalfOpen: true });
    client.write('POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\nx');
    client.resume();
    await once(client, 'end');
    await plane.configure(simpleSetup(plane.port, upstream.port));
    client.write('xGET /second HTTP/1.1\r\nHost: a\r\n\r\n');
    client.end();
    await Promise.race([once(client, 'close'), once(client, 'error')]);
    expect(upstream.received).toEqual([]);
  });

  it('cuts the connection when the answer of the upstream breaks', async () => {
    await using upstream = await startTcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'));
    });
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const answer = await raw(plane.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(answer).toMatch(/^(HTTP\/1\.1 200 OK.*half|HTTP\/1\.1 503 .*)$/s);
  });

  it('never buffers more of a large answer than the client takes', async () => {
    const size = 64 * 1024 * 1024;
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const blocked = Promise.withResolvers<void>();
    await using upstream = await startTcp((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
        const more = (): void => {
          while (sent < size) {
            sent += chunk.byteLength;
            if (!socket.write(chunk)) return;
          }
        };
        socket.on('drain', more);
        more();
      });
    });
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    const client = connect(plane.port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    const complete = new Promise((resolve) => client.on('close', resolve));
    let read = 0;
    client.once('data', () => {
      client.pause();
      settled(() => sent).then(blocked.resolve, blocked.reject);
    });
    client.on('data', (data: Buffer) => {
      read += data.byteLength;
      if (read >= size) client.destroy();
    });
    await blocked.promise;
    expect(sent).toBeLessThan(size);
    client.resume();
    await complete;
    expect(sent).toBe(size);
  });
});

/** Resolves when a counter stays the same over many turns of the event loop. */
async function settled(counter: () => number): Promise<void> {
  let same = 0;
  for (let last = counter(); same < 2000; same += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (counter() !== last) same = 0;
    last = counter();
  }
}
