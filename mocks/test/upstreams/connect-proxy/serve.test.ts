import { describe, expect, test } from 'vitest';
import { openRaw } from '../../support/raw-client.ts';
import { start, viewsOf } from '../../support/start.ts';

describe('the connect-proxy mock', () => {
  test('leads to the peer that is asked for, and shows what was said inside', async () => {
    const far = await start({ kind: 'tcp', echo: true });
    const proxy = await start({ kind: 'connect-proxy' });
    const client = openRaw(proxy);
    client.socket.write(`CONNECT far.test:${far.port} HTTP/1.1\r\nHost: far.test\r\n\r\n`);
    expect(await client.until((seen) => seen.endsWith('\r\n\r\n'))).toBe('HTTP/1.1 200 OK\r\n\r\n');
    client.socket.write('hello');
    expect(await client.until((seen) => seen.endsWith('hello'))).toContain('hello');
    expect(viewsOf(proxy, 'method', 'target', 'inside', 'body')).toEqual([
      { method: 'CONNECT', target: `far.test:${far.port}`, inside: 'plain', body: 'hello' },
    ]);
    client.socket.destroy();
  });

  test.each([
    [
      { status: 407, headers: { 'proxy-authenticate': 'Basic' } },
      /^HTTP\/1\.1 407 .*\r\nproxy-authenticate: Basic\r\n/,
    ],
    [{ fault: 'garbage' }, /^SSH/],
    [{ fault: 'half-close' }, /^$/],
    [{ fault: 'reset' }, /^$/],
  ])('%j carries nothing', async (script, answer) => {
    const far = await start({ kind: 'tcp' });
    const proxy = await start({ kind: 'connect-proxy', ...script });
    const client = openRaw(proxy);
    client.socket.write(`CONNECT far.test:${far.port} HTTP/1.1\r\nHost: far.test\r\n\r\n`);
    expect((await client.ended).text).toMatch(answer);
    expect(viewsOf(proxy, 'method', 'inside')).toEqual([{ method: 'CONNECT', inside: 'nothing' }]);
    expect(far.ledger.attempted).toBe(0);
  });

  test('never leads out of the case, and says who asked', async () => {
    const proxy = await start({ kind: 'connect-proxy' });
    const client = openRaw(proxy);
    client.socket.write('CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example\r\n\r\n');
    expect((await client.ended).text).toMatch(/^HTTP\/1\.1 502 /);
    expect(proxy.ledger.fails).toEqual(['peer up was asked for shop.example:443, which is nobody of this case']);
  });

  test('a request that is no CONNECT stands on the ledger', async () => {
    const proxy = await start({ kind: 'connect-proxy' });
    const client = openRaw(proxy);
    client.socket.write('GET / HTTP/1.1\r\nHost: p\r\n\r\n');
    expect((await client.ended).text).toMatch(/^HTTP\/1\.1 405 /);
    expect(viewsOf(proxy, 'method', 'target')).toEqual([{ method: 'GET', target: '/' }]);
  });

  test('sends a request for a whole URL on as an origin server is asked, and the answer back', async () => {
    const far = await start({ kind: 'http', reply: { body: 'hello', trailers: { 'x-sum': '5' } } });
    const proxy = await start({ kind: 'connect-proxy' });
    const client = openRaw(proxy);
    client.socket.write(
      `POST http://far.test:${far.port}/p?q=1 HTTP/1.1\r\nHost: far.test\r\nX-One: 1\r\nProxy-Authorization: Basic eDp5\r\nTE: trailers\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi`,
    );
    const { text } = await client.ended;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('hello');
    expect(text).toContain('x-sum: 5');
    expect(viewsOf(proxy, 'method', 'target')).toEqual([
      { method: 'POST', target: `http://far.test:${far.port}/p?q=1` },
    ]);
    expect(viewsOf(far, 'method', 'target', 'body')).toEqual([{ method: 'POST', target: '/p?q=1', body: 'hi' }]);
    expect(viewsOf(far, 'headers')).toMatchObject([{ headers: { host: 'far.test', 'x-one': '1' } }]);
    expect(JSON.stringify(viewsOf(far, 'headers'))).not.toContain('proxy-authorization');
  });

  test('refuses a whole URL as it refuses a CONNECT, and leads to nobody else', async () => {
    const far = await start({ kind: 'http' });
    const refusing = await start({ kind: 'connect-proxy', status: 403 });
    const refused = openRaw(refusing);
    refused.socket.write(`GET http://far.test:${far.port}/ HTTP/1.1\r\nHost: far.test\r\n\r\n`);
    expect((await refused.ended).text).toMatch(/^HTTP\/1\.1 403 /);
    const proxy = await start({ kind: 'connect-proxy' });
    const stray = openRaw(proxy);
    stray.socket.write('GET http://shop.example/ HTTP/1.1\r\nHost: shop.example\r\n\r\n');
    expect((await stray.ended).text).toMatch(/^HTTP\/1\.1 502 /);
    expect(proxy.ledger.fails).toEqual(['peer up was asked for http://shop.example/, which is nobody of this case']);
    expect(far.ledger.attempted).toBe(0);
  });

  test('carries another protocol that a request for a whole URL asks for', async () => {
    const far = await start({ kind: 'tcp', echo: true });
    const proxy = await start({ kind: 'connect-proxy' });
    const client = openRaw(proxy);
    client.socket.write(
      `GET http://far.test:${far.port}/chat HTTP/1.1\r\nHost: far.test\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n`,
    );
    expect(await client.until((seen) => seen.endsWith('\r\n\r\n'))).toMatch(
      /^GET \/chat HTTP\/1\.1\r\nHost: far\.test\r\n/,
    );
    client.socket.write('more');
    expect(await client.until((seen) => seen.endsWith('more'))).toContain('more');
    client.socket.destroy();
  });
});
