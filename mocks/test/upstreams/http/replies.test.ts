import { describe, expect, test } from 'vitest';
import { createGates } from '../../../gates.ts';
import { openRaw, talk } from '../../support/raw-client.ts';
import { viewsOf, start } from '../../support/start.ts';

const GET = 'GET /a?x=1&x=2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';

describe('replies of the http mock', () => {
  test('without a reply the body tells who answered, and nothing is sent that nobody asked for', async () => {
    const { text, ended } = await talk(await start({ kind: 'http' }), GET);
    expect(ended).toBe('fin');
    expect(text).toBe(
      'HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 2\r\nConnection: close\r\n\r\nup',
    );
  });

  test('status, reason, repeated headers in order, and a scripted header is not doubled', async () => {
    const headers = [
      ['X-A', '1'],
      ['x-a', 2],
      ['Content-Type', 'a/b'],
    ];
    const mock = await start({ kind: 'http', reply: { status: 299, reason: 'Fine', headers, body: 'b' } });
    const { text } = await talk(mock, GET);
    expect(text).toMatch(/^HTTP\/1\.1 299 Fine\r\nX-A: 1\r\nx-a: 2\r\nContent-Type: a\/b\r\ncontent-length: 1\r\n/);
    expect(text.match(/content-type/gi)).toHaveLength(1);
  });

  test.each([
    ['json', { json: { a: [1, null] } }, '{"a":[1,null]}'],
    ['fill', { body: { '~fill': 5 } }, 'xxxxx'],
    ['base64', { body: { base64: 'aGk=' } }, 'hi'],
    ['empty text', { body: '' }, ''],
  ])('body as %s', async (_, reply, body) => {
    const { text } = await talk(await start({ kind: 'http', reply }), GET);
    expect(text.split('\r\n\r\n')[1]).toBe(body);
    expect(text).toContain(`content-length: ${body.length}\r\n`);
  });

  test.each([204, 304])('a %d carries no body and no framing header', async (status) => {
    const { text } = await talk(await start({ kind: 'http', reply: { status } }), GET);
    expect(text).not.toMatch(/content-length|transfer-encoding/i);
    expect(text.split('\r\n\r\n')[1]).toBe('');
  });

  test('a HEAD is told the length and sent no body', async () => {
    const { text } = await talk(await start({ kind: 'http' }), GET.replace('GET', 'HEAD'));
    expect(text).toContain('content-length: 2\r\n');
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  test('framing chunked, chunks and trailers', async () => {
    const reply = { chunks: ['ab', { '~fill': 17 }], trailers: { 'x-sum': '7' } };
    const { text } = await talk(await start({ kind: 'http', reply }), GET);
    expect(text).toContain(`transfer-encoding: chunked\r\n`);
    expect(text.endsWith(`2\r\nab\r\n11\r\n${'x'.repeat(17)}\r\n0\r\nx-sum: 7\r\n\r\n`)).toBe(true);
  });

  test('framing close ends the body with the connection', async () => {
    const keepAlive = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
    const { text } = await talk(await start({ kind: 'http', reply: { body: 'abc', framing: 'close' } }), keepAlive);
    expect(text).not.toMatch(/content-length|transfer-encoding/i);
    expect(text).toMatch(/connection: close\r\n\r\nabc$/);
  });

  test('raw sends exactly these bytes', async () => {
    const raw = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab';
    expect((await talk(await start({ kind: 'http', reply: { raw } }), GET)).text).toBe(raw);
  });

  test('a gate holds the rest of the body until a client event opens it', async () => {
    const gates = createGates();
    const mock = await start(
      { kind: 'http', reply: { chunks: ['one', { gate: 'seen', giveUp: '60s' }, 'two'] } },
      gates,
    );
    const client = openRaw(mock);
    client.socket.write(GET);
    const first = await client.until((seen) => seen.includes('one'));
    expect(first).not.toContain('two');
    expect(gates.outcomes()).toEqual({ seen: 'waiting' });
    gates.open('seen');
    expect((await client.ended).text).toContain('two');
    expect(gates.outcomes()).toEqual({ seen: 'opened' });
  });

  test('a gate before the first chunk still lets the head through; giving up sends the rest', async () => {
    const gates = createGates();
    const mock = await start({ kind: 'http', reply: { chunks: [{ gate: 'never', giveUp: '1ms' }, 'late'] } }, gates);
    const { text } = await talk(mock, GET);
    expect(text).toContain('late');
    expect(gates.outcomes()).toEqual({ never: 'gave-up' });
  });

  test('echo describes the request as it arrived', async () => {
    const post =
      'POST /p%2f?q=a%20b HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
    const mock = await start({ kind: 'http', reply: { echo: true } });
    const { text } = await talk(mock, post);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      peer: 'up',
      method: 'POST',
      target: '/p%2f?q=a%20b',
      path: '/p%2f',
      query: { q: 'a b' },
      headers: { 'x-a': ['1', '2'], host: 'h' },
      rawHeaders: expect.arrayContaining([
        ['X-A', '1'],
        ['x-a', '2'],
      ]) as unknown,
      body: '{}',
      json: {},
      complete: true,
    });
  });

  test('replies go out in order of arrival, the last one repeats', async () => {
    const mock = await start({ kind: 'http', replies: [{ status: 500 }, { status: 200 }] });
    const statuses: string[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await talk(mock, GET)).text.slice(9, 12));
    expect(statuses).toEqual(['500', '200', '200']);
  });

  test('on lanes are tried first and count on their own', async () => {
    const mock = await start({
      kind: 'http',
      on: [
        { match: { method: 'POST' }, reply: { body: 'post' } },
        { match: { path: '/a', headers: { 'X-T': 'b' } }, replies: [{ body: 'b1' }, { body: 'b2' }] },
        { match: { path: '/a?x=1&x=2' }, reply: { body: 'query' } },
      ],
      reply: { body: 'rest' },
    });
    const requests = [
      GET.replace('GET', 'POST'),
      GET.replace('\r\n\r\n', '\r\nx-t: b\r\n\r\n'),
      GET,
      GET.replace('\r\n\r\n', '\r\nx-t: b\r\n\r\n'),
      GET.replace('/a?x=1&x=2', '/z'),
    ];
    const bodies: string[] = [];
    for (const request of requests) bodies.push((await talk(mock, request)).text.split('\r\n\r\n')[1] ?? '');
    expect(bodies).toEqual(['post', 'b1', 'query', 'b2', 'rest']);
  });

  test('a fail reply is recorded with its reason', async () => {
    const mock = await start({ kind: 'http', replies: [{}, { fail: 'no second call may arrive' }] });
    await talk(mock, GET);
    expect(mock.ledger.fails).toEqual([]);
    expect((await talk(mock, GET)).text).toMatch(/^HTTP\/1\.1 500 /);
    expect(mock.ledger.fails).toEqual(['peer up received GET /a?x=1&x=2: no second call may arrive']);
  });

  test('early answers before the body has come', async () => {
    const mock = await start({ kind: 'http', reply: { status: 413, early: true } });
    const client = openRaw(mock);
    client.socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nab');
    expect(await client.until((seen) => seen.includes('up'))).toMatch(/^HTTP\/1\.1 413 /);
    expect(viewsOf(mock, 'complete', 'body')).toEqual([{ complete: false, body: 'ab' }]);
    client.socket.destroy();
  });

  test('a Unix domain socket serves like a port', async () => {
    const mock = await start({ kind: 'http', unix: true });
    expect(mock.port).toBe(0);
    expect((await talk(mock, GET)).text).toMatch(/^HTTP\/1\.1 200 /);
  });
});
