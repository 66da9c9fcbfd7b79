import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEDGER_LIMITS } from '../../../ledger.ts';
import { openRaw, talk } from '../../support/raw-client.ts';
import { viewsOf, start } from '../../support/start.ts';

const GET = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';

describe('what arrives at the http mock', () => {
  test('pipelined requests are listed in order, on one connection', async () => {
    const mock = await start({ kind: 'http', reply: { echo: true } });
    const first = 'GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n';
    const { text } = await talk(mock, `${first}${GET.replace('/', '/3')}`);
    expect(viewsOf(mock, 'target', 'connection')).toEqual([
      { target: '/1', connection: 1 },
      { target: '/2', connection: 1 },
      { target: '/3', connection: 1 },
    ]);
    expect(text.indexOf('"target":"/1"')).toBeLessThan(text.indexOf('"target":"/2"'));
    expect(mock.ledger.attempted).toBe(1);
  });

  test('chunked bodies and trailers', async () => {
    const mock = await start({ kind: 'http' });
    await talk(
      mock,
      GET.replace('GET', 'POST').replace(
        '\r\n\r\n',
        '\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-T: 1\r\n\r\n',
      ),
    );
    expect(viewsOf(mock, 'body', 'trailers')).toEqual([{ body: 'ab', trailers: { 'x-t': '1' } }]);
  });

  test('bytes that are no text come as base64', async () => {
    const mock = await start({ kind: 'http' });
    const head = 'POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\n';
    await talk(mock, Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0x00])]));
    expect(viewsOf(mock, 'body', 'base64', 'bytes')).toEqual([{ body: undefined, base64: '/wA=', bytes: 2 }]);
  });

  test('a client that leaves in the middle of its body', async () => {
    const mock = await start({ kind: 'http' });
    const client = openRaw(mock);
    client.socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nab');
    await mock.ledger.until((ledger) => ledger.entries.length === 1, 5000);
    client.socket.resetAndDestroy();
    expect(await mock.ledger.until((ledger) => ledger.active === 0, 5000)).toBe(true);
    expect(viewsOf(mock, 'complete', 'aborted')).toEqual([{ complete: false, aborted: true }]);
  });

  test('a CONNECT is a request like any other', async () => {
    const mock = await start({ kind: 'http', reply: { status: 405 } });
    expect((await talk(mock, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')).text).toMatch(/^HTTP\/1\.1 405 /);
    expect(viewsOf(mock, 'method', 'target', 'complete')).toEqual([
      { method: 'CONNECT', target: 'a:1', complete: true },
    ]);
  });

  test('an upgrade and an expectation are requests like any other', async () => {
    const mock = await start({ kind: 'http' });
    await talk(
      mock,
      GET.replace('close', 'close, upgrade').replace('\r\n\r\n', '\r\nUpgrade: x\r\nExpect: magic\r\n\r\n'),
    );
    expect(viewsOf(mock, 'method', 'complete')).toEqual([{ method: 'GET', complete: true }]);
  });

  test('bytes that are no HTTP are listed with the reason', async () => {
    const mock = await start({ kind: 'http' });
    expect((await talk(mock, 'G\0T nonsense\r\n\r\n')).text).toMatch(/^HTTP\/1\.1 400 /);
    expect(viewsOf(mock, 'method', 'body', 'malformed')).toEqual([
      { method: '', body: 'G\0T nonsense\r\n\r\n', malformed: expect.stringMatching(/Parse Error/) as unknown },
    ]);
  });

  test('what does not fit the total is dropped and marked', async () => {
    const mock = await start({ kind: 'http' });
    const length = LEDGER_LIMITS.bytes + 1000;
    const client = openRaw(mock);
    client.socket.write(`POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`);
    client.socket.write(Buffer.alloc(length, 'z'));
    expect((await client.ended).text).toMatch(/^HTTP\/1\.1 200 /);
    const [entry] = mock.ledger.entries;
    const view = entry?.view();
    expect(view).toMatchObject({ complete: true, truncated: true });
    expect(view?.['bytes']).toBeLessThanOrEqual(LEDGER_LIMITS.bytes);
  });

  test('hostile bytes never stop it from answering the next client', async () => {
    const mock = await start({ kind: 'http' });
    const token = fc.constantFrom(
      'GET / HTTP/1.1\r\n',
      'Host: h\r\n',
      'Content-Length: ',
      '-1',
      '99\r\n',
      '\r\n',
      'Transfer-Encoding: chunked\r\n',
      'zz\r\n',
      '\0',
      ': ',
      ' ',
      'CONNECT ',
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((data) => Buffer.from(data)),
      fc.array(token, { maxLength: 12 }).map((parts) => Buffer.from(parts.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (hostile) => {
        const client = openRaw(mock);
        client.socket.end(hostile);
        await client.ended;
        expect((await talk(mock, GET)).text).toMatch(/^HTTP\/1\.1 200 /);
      }),
      { numRuns: 150 },
    );
  });
});
