import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Body } from '../../base/body.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { systemClock } from '../../base/clock.ts';
import { HeaderMap } from '../../base/headers.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody } from '../../base/read-body.ts';
import type { Request } from '../../exchange/exchange.ts';
import type { Call } from '../../upstream/http-call.ts';
import { createHttpClient, type HttpClient } from '../../upstream/http-client.ts';
import { textOf } from '../policies/support/exchange.ts';

interface Peer {
  readonly port: number;
  readonly sessions: ServerHttp2Session[];
}

async function startPeer(
  answer: (stream: ServerHttp2Stream, raw: readonly string[]) => void,
  maxConcurrentStreams = 100,
): Promise<Peer> {
  const server: Http2Server = createServer({ settings: { maxConcurrentStreams } });
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
  });
  server.on('stream', (stream, _headers, _flags, raw) => {
    stream.on('error', () => {});
    answer(stream, raw);
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { port, sessions };
}

function client(): HttpClient {
  const created = createHttpClient(systemClock);
  onTestFinished(created.close);
  return created;
}

function call(port: number, given: Partial<Request> = {}, more: Partial<Call> = {}): Call {
  return {
    endpoint: { kind: 'tcp', host: '127.0.0.1', port },
    dial: { connectTimeout: 5000, keepalive: undefined },
    version: 'HTTP2',
    request: {
      method: 'POST',
      scheme: 'http',
      authority: 'shop.test:81',
      target: '/a?b=%20',
      version: 'HTTP/1.1',
      headers: HeaderMap.EMPTY,
      body: undefined,
      ...given,
    },
    requestTimeout: 5000,
    cancellation: new Cancellation(),
    ...more,
  };
}

const answerWith = (body: string) => (stream: ServerHttp2Stream) => {
  stream.respond({ ':status': 200 });
  stream.end(body);
};

/** A body in two pieces, with trailers behind it. */
function inPieces(): Body {
  const pieces = ['one', 'two'].map((text) => Buffer.from(text));
  return {
    read: () => Promise.resolve(pieces.shift()),
    cancel: () => {},
    length: undefined,
    trailers: () => HeaderMap.fromRaw(['X-Sum', '6', 'x-sum', '7']),
  };
}

describe('a request over HTTP/2', () => {
  test('keeps target, order and repetition of fields, and its trailers', async () => {
    const seen: unknown[] = [];
    const { port } = await startPeer((stream, raw) => {
      seen.push([...raw]);
      stream.on('trailers', (_headers, _flags, trailers) => seen.push([...trailers]));
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        seen.push(text);
        stream.respond([':status', '207', 'x-b', '1', 'x-a', '2', 'x-b', '3']);
        stream.end();
      });
    });
    const headers = HeaderMap.fromRaw(['X-Q', '1', 'te', 'trailers', 'x-q', '\xe9']);
    const response = await client().send(call(port, { headers, body: inPieces() }));
    expect(seen).toEqual([
      [
        ':method',
        'POST',
        ':scheme',
        'http',
        ':authority',
        'shop.test:81',
        ':path',
        '/a?b=%20',
        'x-q',
        '1',
        'te',
        'trailers',
        'x-q',
        '\xe9',
      ],
      ['x-sum', '6', 'x-sum', '7'],
      'onetwo',
    ]);
    expect(response.status).toBe(207);
    expect([...response.headers].filter(([name]) => name !== 'date')).toEqual([
      ['x-b', '1'],
      ['x-a', '2'],
      ['x-b', '3'],
    ]);
  });

  test('gets the trailers of the answer', async () => {
    const { port } = await startPeer((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '0' });
      });
      stream.end('x');
    });
    const { body } = await client().send(call(port));
    expect(await textOf(body)).toBe('x');
    expect([...(body?.trailers?.() ?? [])]).toEqual([['grpc-status', '0']]);
  });

  test('that the peer gives up fails, before its answer and in the middle of it', async () => {
    const { port } = await startPeer((stream, raw) => {
      if (raw.includes('/head')) return stream.close(7);
      stream.respond({ ':status': 200 });
      stream.write('half', () => {
        if (raw.includes('/cut')) stream.session?.destroy();
        else stream.destroy(new Error('no more'));
      });
    });
    const connected = client();
    await expect(connected.send(call(port, { target: '/head' }))).rejects.toMatchObject({ code: 'upstreamCallFailed' });
    for (const target of ['/reset', '/cut']) {
      const { body } = await connected.send(call(port, { target }));
      await expect(textOf(body)).rejects.toBeInstanceOf(ProxyError);
    }
  });

  test('that is cancelled is reset, and the next one goes over the same connection', async () => {
    const codes: number[] = [];
    const { port, sessions } = await startPeer((stream, raw) => {
      stream.on('close', () => codes.push(stream.rstCode ?? -1));
      if (!raw.includes('/silent')) answerWith('up')(stream);
    });
    const connected = client();
    const cancellation = new Cancellation();
    const silent = connected.send(call(port, { target: '/silent' }, { cancellation }));
    expect(await textOf((await connected.send(call(port))).body)).toBe('up');
    cancellation.cancel(new ProxyError('clientGone'));
    await expect(silent).rejects.toMatchObject({ code: 'clientGone' });
    expect(await textOf((await connected.send(call(port))).body)).toBe('up');
    expect(codes).toContain(8);
    expect(sessions).toHaveLength(1);
  });

  test.each(['before it is sent', 'while it waits for its connection'])(
    'that is cancelled %s reaches nobody',
    async (when) => {
      const seen: string[] = [];
      const { port } = await startPeer((stream, raw) => {
        seen.push(raw.at(raw.indexOf(':path') + 1) ?? '');
        answerWith('up')(stream);
      });
      const connected = client();
      if (when === 'before it is sent') await textOf((await connected.send(call(port, { target: '/first' }))).body);
      const cancellation = new Cancellation();
      const gone = new ProxyError('clientGone');
      if (when === 'before it is sent') cancellation.cancel(gone);
      const late = connected.send(call(port, { method: 'GET', target: '/late' }, { cancellation }));
      cancellation.cancel(gone);
      await expect(late).rejects.toBe(gone);
      await textOf((await connected.send(call(port, { target: '/next' }))).body);
      expect(seen).not.toContain('/late');
    },
  );

  test('BHTTP-007: has a deadline for its head', async () => {
    const { port } = await startPeer(() => {});
    const silent = client().send(call(port, {}, { requestTimeout: 50 }));
    await expect(silent).rejects.toMatchObject({ code: 'upstreamCallTimeout' });
  });

  test('fails where nobody listens, and where something else answers', async () => {
    const { port } = await startPeer((stream) => stream.session?.destroy());
    await expect(client().send(call(port))).rejects.toMatchObject({ code: 'upstreamCallFailed' });
    await expect(client().send(call(1))).rejects.toMatchObject({ code: 'upstreamCallFailed' });
  });

  test('with a field that HTTP/2 forbids is not sent', async () => {
    const { port } = await startPeer(answerWith('up'));
    const headers = HeaderMap.of([['connection', 'close']]);
    await expect(client().send(call(port, { headers }))).rejects.toMatchObject({ code: 'processingFailed' });
  });
});

describe('connections', () => {
  test('one takes many requests, and another is opened when the peer takes no more at a time', async () => {
    const open: ServerHttp2Stream[] = [];
    const { port, sessions } = await startPeer((stream, raw) => {
      if (raw.includes('/first')) answerWith('first')(stream);
      else open.push(stream);
      if (open.length === 3) for (const held of open) answerWith('up')(held);
    }, 2);
    const connected = client();
    // The settings of the peer are known with its first answer.
    await textOf((await connected.send(call(port, { target: '/first' }))).body);
    const answers = await Promise.all([1, 2, 3].map(async () => textOf((await connected.send(call(port))).body)));
    expect(answers).toEqual(['up', 'up', 'up']);
    expect(sessions).toHaveLength(2);
  });

  test('one that the peer announces to end gets no further request', async () => {
    const { port, sessions } = await startPeer(answerWith('up'));
    const connected = client();
    await textOf((await connected.send(call(port))).body);
    const [session] = sessions;
    const ended = new Promise((resolve) => session?.once('close', resolve));
    session?.close();
    await ended;
    expect(await textOf((await connected.send(call(port))).body)).toBe('up');
    expect(sessions).toHaveLength(2);
  });

  test('are not shared by two ways of dialling', async () => {
    const { port, sessions } = await startPeer(answerWith('up'));
    const connected = client();
    for (const connectTimeout of [1000, 2000, 1000]) {
      const dial = { connectTimeout, keepalive: undefined };
      await textOf((await connected.send(call(port, { body: bytesBody(Buffer.from('b')) }, { dial }))).body);
    }
    expect(sessions).toHaveLength(2);
  });
});
