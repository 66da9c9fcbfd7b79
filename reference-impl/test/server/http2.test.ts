import { once } from 'node:events';
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { describe, expect, it } from 'vitest';
import { policy, simpleSetup, startDataPlane, startUpstream, type DataPlane } from '../support/data-plane.ts';
import {
  block,
  converse,
  END_HEADERS,
  END_STREAM,
  frame,
  HEADERS,
  number,
  PREFACE,
  RST_STREAM,
  settings,
} from '../support/http2-frames.ts';

describe('HTTP/2 by prior knowledge', () => {
  it('serves requests with their body, cookies as one field and trailers, and answers with those of the backend', async () => {
    await using upstream = await startUpstream((request, response) => {
      response.writeHead(201, { 'X-Up': 'one', 'set-cookie': ['a=1', 'b=2'], trailer: 'x-sum' });
      response.addTrailers({ 'x-sum': `${request.method} sum` });
      response.end('answer');
    });
    await using plane = await startDataPlane((port) => towards(port, upstream.port));
    using client = open(plane);
    const headers = { ':method': 'POST', ':path': '/a?b=%20', cookie: ['c=1', 'd=2'], 'x-one': ['1', '2'] };
    const seen = await ask(client.session, headers, { body: 'body', trailers: { 'x-end': 'end' } });
    expect(seen).toMatchObject({
      headers: { ':status': 201, 'x-up': 'one', 'set-cookie': ['a=1', 'b=2'] },
      body: 'answer',
      trailers: { 'x-sum': 'POST sum' },
    });
    expect(upstream.received).toMatchObject([{ method: 'POST', url: '/a?b=%20', body: 'body' }]);
    const { rawHeaders = [] } = upstream.received[0] ?? {};
    expect(fields(rawHeaders, 'cookie')).toEqual(['c=1; d=2']);
    expect(fields(rawHeaders, 'x-one')).toEqual(['1', '2']);
    expect(fields(rawHeaders, 'host')).toEqual([`127.0.0.1:${plane.port}`]);
  });

  it('serves many streams of one connection, HEAD and empty answers among them', async () => {
    await using upstream = await startUpstream((request, response) => {
      if (request.url === '/empty') response.writeHead(204).end();
      else response.writeHead(200, { 'content-length': '5' }).end(request.method === 'HEAD' ? undefined : 'hello');
    });
    await using plane = await startDataPlane((port) => towards(port, upstream.port));
    using client = open(plane);
    const asked = [
      ask(client.session, { ':path': '/' }),
      ask(client.session, { ':path': '/', ':method': 'HEAD' }),
      ask(client.session, { ':path': '/empty' }),
    ];
    const [got, head, empty] = await Promise.all(asked);
    expect(got).toMatchObject({ headers: { ':status': 200, 'content-length': '5' }, body: 'hello' });
    expect(head).toMatchObject({ headers: { ':status': 200, 'content-length': '5' }, body: '' });
    expect(empty).toMatchObject({ headers: { ':status': 204 }, body: '' });
  });

  it('asks no backend for requests that come with their own reset, whatever its code, and serves the next', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => towards(port, upstream.port));
    const codes = [constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_CANCEL];
    const resets = Array.from({ length: 150 }, (_, index) => [
      frame(HEADERS, END_STREAM | END_HEADERS, 2 * index + 1, requestFor('/reset')),
      frame(RST_STREAM, 0, 2 * index + 1, number(codes[index % codes.length] ?? 0)),
    ]).flat();
    const asked = frame(HEADERS, END_STREAM | END_HEADERS, 301, requestFor('/asked'));
    const bytes = Buffer.concat([Buffer.from(PREFACE), settings(), ...resets, asked]);
    const { closed } = await converse(plane.port, bytes, (frames) => frames.some(({ stream }) => stream === 301));
    expect(closed).toBe(false);
    expect(upstream.received.map(({ url }) => url)).toEqual(['/asked']);
  });

  it('takes no request whose Host is not its authority, and none with more fields than the limit', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => [
      ...towards(port, upstream.port),
      policy('Gateway', { frontend: { http: { http2MaxHeaderSize: '2Ki' } } }),
    ]);
    using client = open(plane);
    await once(client.session, 'remoteSettings');
    expect(client.session.remoteSettings.maxHeaderListSize).toBe(2048);
    const split = { ':path': '/', ':authority': 'one.test', host: 'other.test' };
    expect(await ask(client.session, split)).toMatchObject({ headers: { ':status': 400 } });
    expect(await ask(client.session, { ':path': '/', 'x-big': 'x'.repeat(1800) })).toMatchObject({ body: 'hello' });
    expect(await ask(client.session, { ':path': '/', 'x-big': 'x'.repeat(2100) })).toEqual({ reset: 11 });
    expect(upstream.received).toHaveLength(1);
  });

  it.each(['end', 'destroy'] as const)('gives up what is under way when the client is gone (%s)', async (leave) => {
    const asked = Promise.withResolvers<{ readonly closed: Promise<unknown> }>();
    await using upstream = await startUpstream((_, response) => {
      asked.resolve({ closed: once(response, 'close') });
    });
    await using plane = await startDataPlane((port) => towards(port, upstream.port));
    const socket = connectTcp(plane.port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    const request = requestFor('/');
    const unfinished = frame(HEADERS, END_HEADERS, 3, request);
    socket.write(Buffer.concat([Buffer.from(PREFACE), settings(), frame(HEADERS, 5, 1, request), unfinished]));
    const { closed } = await asked.promise;
    socket[leave]();
    await closed;
    // Nothing is left that the end would wait for.
    const began = performance.now();
    await plane.close(60_000);
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it('resets the stream when the backend breaks off', async () => {
    await using upstream = await startUpstream((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      if (request.url === '/broken') setImmediate(() => response.destroy());
    });
    await using plane = await startDataPlane((port) => towards(port, upstream.port));
    using client = open(plane);
    expect(await ask(client.session, { ':path': '/broken' })).toMatchObject({ reset: 2 });
  });
});

/** A backend that speaks HTTP/1.1, whatever its clients speak. */
function requestFor(path: string): Buffer {
  return block([':method', 'GET'], [':scheme', 'http'], [':path', path], [':authority', 'a.test']);
}

function towards(port: number, upstream: number): object[] {
  return [...simpleSetup(port, upstream), policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } })];
}

function open(plane: DataPlane): Disposable & { readonly session: ClientHttp2Session } {
  const session = connect(`http://127.0.0.1:${plane.port}`);
  session.on('error', () => {});
  return { session, [Symbol.dispose]: () => session.destroy() };
}

interface Seen {
  readonly headers?: object;
  readonly body?: string;
  readonly trailers?: object;
  readonly reset?: number;
}

async function ask(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  { body, trailers }: { body?: string; trailers?: OutgoingHttpHeaders } = {},
): Promise<Seen> {
  const stream: ClientHttp2Stream = session.request(headers, {
    endStream: body === undefined,
    waitForTrailers: trailers !== undefined,
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers ?? {}));
  if (body !== undefined) stream.end(body);
  const seen: { headers?: object; body: string; trailers?: object } = { body: '' };
  stream.on('response', (head: object) => {
    seen.headers = { ...head };
  });
  stream.on('trailers', (trailing: object) => {
    seen.trailers = { ...trailing };
  });
  stream.setEncoding('latin1').on('data', (chunk: string) => {
    seen.body += chunk;
  });
  stream.on('error', () => {});
  await new Promise((resolve) => stream.once('close', resolve));
  return stream.rstCode === 0 ? seen : { reset: stream.rstCode };
}

function fields(raw: readonly string[], wanted: string): string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === wanted);
}
