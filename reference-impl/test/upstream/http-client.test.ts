import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../base/cancellation.ts';
import { systemClock } from '../../base/clock.ts';
import { HeaderMap } from '../../base/headers.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { readBody } from '../../base/read-body.ts';
import type { Call } from '../../upstream/http-call.ts';
import { createHttpClient } from '../../upstream/http-client.ts';
import { startTcp } from '../support/data-plane.ts';
import { manualClock } from '../trace/manual-clock.ts';

function call(port: number, more: Partial<Call> = {}): Call {
  return {
    endpoint: { kind: 'tcp', host: '127.0.0.1', port },
    dial: { connectTimeout: 10_000, keepalive: undefined },
    request: {
      method: 'GET',
      scheme: 'http',
      authority: 'a',
      target: '/',
      version: 'HTTP/1.1',
      headers: HeaderMap.EMPTY,
      body: undefined,
    },
    requestTimeout: undefined,
    cancellation: new Cancellation(),
    ...more,
  };
}

const says = (bytes: string) => startTcp((socket) => socket.once('data', () => socket.end(bytes, 'latin1')));

describe('a response', () => {
  it('keeps every field as it came, bytes above ASCII included', async () => {
    await using peer = await says('HTTP/1.1 299 Odd\r\nX-A: \xe9\r\nx-a: 2\r\nConnection: close\r\n\r\nbody');
    const client = createHttpClient(systemClock);
    const { status, headers, body } = await client.send(call(peer.port));
    expect(status).toBe(299);
    expect(headers.toRaw()).toEqual(['X-A', '\xe9', 'x-a', '2', 'Connection', 'close']);
    const { bytes } = await readBody(body, 100);
    expect(Buffer.from(bytes).toString()).toBe('body');
    await client.close();
  });

  it('is not the interim one before it', async () => {
    await using peer = await says('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
    const client = createHttpClient(systemClock);
    expect(await client.send(call(peer.port))).toMatchObject({ status: 204, body: undefined });
    await client.close();
  });

  it.each([
    ['one 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['several', 'HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.0 102 Processing\r\n\r\nHTTP/1.1 199 \r\n\r\n'],
  ])('has interim answers nobody asked for in front of it: %s', async (_, interim) => {
    for (const size of [1, 2, 7, 13, 1000]) {
      const bytes = `${interim}HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\nHTTP/1.1 100 body`;
      await using peer = await startTcp((socket) => {
        socket.setNoDelay(true).on('data', () => {
          sendInPieces(socket, bytes, size);
        });
      });
      const client = createHttpClient(systemClock);
      for (const target of ['/1', '/2']) {
        const { request } = call(peer.port);
        const { status, body } = await client.send(call(peer.port, { request: { ...request, target } }));
        expect(status).toBe(200);
        expect(Buffer.from((await readBody(body, 100)).bytes).toString()).toBe('HTTP/1.1 100 body');
      }
      await client.close();
    }
  });

  it('that never comes because interim ones never end fails as upstreamCallFailed', async () => {
    await using peer = await startTcp((socket) => {
      const flood = (): void => {
        while (!socket.destroyed && socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)));
      };
      socket.once('data', flood).on('drain', flood);
    });
    const client = createHttpClient(systemClock);
    await expect(client.send(call(peer.port))).rejects.toMatchObject({ code: 'upstreamCallFailed' });
    await client.close();
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['of another protocol', 'RTSP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['nothing at all', ''],
    ['an upgrade nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
  ])('that is %s fails as upstreamCallFailed', async (_, bytes) => {
    await using peer = await says(bytes);
    const client = createHttpClient(systemClock);
    await expect(client.send(call(peer.port))).rejects.toMatchObject({ code: 'upstreamCallFailed' });
    await client.close();
  });
});

describe('time', () => {
  it('runs out for a peer that accepts and says nothing', async () => {
    const clock = manualClock();
    const reached = Promise.withResolvers<void>();
    await using peer = await startTcp((socket) =>
      socket.once('data', () => {
        reached.resolve();
      }),
    );
    const client = createHttpClient(clock);
    const response = client.send(call(peer.port, { requestTimeout: 500 }));
    await reached.promise;
    clock.advance(500);
    await expect(response).rejects.toMatchObject({ code: 'upstreamCallTimeout' });
    await client.close();
  });

  it('runs out for a peer that does not accept (BTCP-002)', async () => {
    const clock = manualClock();
    const client = createHttpClient(clock);
    // An address of the documentation block: nobody answers there, or the system says so at once.
    const endpoint = { kind: 'tcp', host: '192.0.2.1', port: 9 } as const;
    const response = client.send(call(0, { endpoint, dial: { connectTimeout: 250, keepalive: undefined } }));
    const refused = expect(response).rejects.toBeInstanceOf(ProxyError);
    clock.advance(250);
    await refused;
    await client.close();
  });

  it('is cancelled with the reason that is given', async () => {
    const cancellation = new Cancellation();
    const reached = Promise.withResolvers<void>();
    await using peer = await startTcp((socket) =>
      socket.once('data', () => {
        reached.resolve();
      }),
    );
    const client = createHttpClient(systemClock);
    const response = client.send(call(peer.port, { cancellation }));
    await reached.promise;
    cancellation.cancel(new ProxyError('requestTimeout'));
    await expect(response).rejects.toMatchObject({ code: 'requestTimeout' });
    await client.close();
  });

  it('a request that was cancelled before it began is not sent', async () => {
    let connections = 0;
    await using peer = await startTcp(() => {
      connections += 1;
    });
    const cancellation = new Cancellation();
    cancellation.cancel(new ProxyError('clientGone'));
    const client = createHttpClient(systemClock);
    await expect(client.send(call(peer.port, { cancellation }))).rejects.toMatchObject({ code: 'clientGone' });
    expect(connections).toBe(0);
    await client.close();
  });
});

/** Each piece is a write of its own, in a turn of its own. */
function sendInPieces(socket: Socket, bytes: string, size: number): void {
  if (bytes === '') return;
  socket.write(bytes.slice(0, size), 'latin1', () => {
    setImmediate(() => {
      sendInPieces(socket, bytes.slice(size), size);
    });
  });
}
