import { describe, expect, test } from 'vitest';
import { createGates } from '../../../gates.ts';
import { openRaw, talk } from '../../support/raw-client.ts';
import { viewsOf, start } from '../../support/start.ts';

const GET = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
const WIRE = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 2\r\n\r\nup';

describe('faults of the http mock', () => {
  test('refuse: the port is taken, nobody listens', async () => {
    const mock = await start({ kind: 'http', fault: 'refuse' });
    expect(mock.port).toBeGreaterThan(0);
    expect((await talk(mock, GET)).ended).toBe('refused');
    expect(mock.ledger.attempted).toBeUndefined();
  });

  test('reset: the connection is reset before anything is said', async () => {
    const mock = await start({ kind: 'http', fault: 'reset' });
    expect(await talk(mock, GET)).toMatchObject({ ended: 'reset', text: '' });
    expect(mock.ledger.attempted).toBe(1);
    expect(mock.ledger.entries).toEqual([]);
  });

  test('reset of one reply: the request is on the ledger, the next one is answered', async () => {
    const mock = await start({ kind: 'http', replies: [{ fault: 'reset' }, {}] });
    expect(await talk(mock, GET)).toMatchObject({ ended: 'reset', text: '' });
    expect((await talk(mock, GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).text).toMatch(
      /^HTTP\/1\.1 200/,
    );
    expect(viewsOf(mock, 'complete', 'aborted', 'connection')).toEqual([
      { complete: true, aborted: false, connection: 1 },
      { complete: true, aborted: false, connection: 2 },
    ]);
  });

  test('hang: the request arrives, no answer comes, and the ledger shows who gave up', async () => {
    const mock = await start({ kind: 'http', fault: 'hang' });
    const client = openRaw(mock);
    client.socket.write(GET);
    await mock.ledger.until((ledger) => ledger.entries.length === 1, 5000);
    expect(mock.ledger.active).toBe(1);
    expect(client.textSoFar()).toBe('');
    client.socket.destroy();
    expect(await mock.ledger.until((ledger) => ledger.active === 0, 5000)).toBe(true);
    expect(viewsOf(mock, 'complete', 'aborted')).toEqual([{ complete: true, aborted: true }]);
  });

  test('half-close: the sending side ends without an answer, the receiving side stays open', async () => {
    const mock = await start({ kind: 'http', fault: 'half-close' });
    const client = openRaw(mock);
    client.socket.allowHalfOpen = true;
    client.socket.write(GET);
    await new Promise((resolve) => client.socket.once('end', resolve));
    expect(client.textSoFar()).toBe('');
    expect(mock.ledger.active).toBe(1);
    client.socket.end();
    expect((await client.ended).ended).toBe('fin');
  });

  test.each([0, 20, WIRE.length - 1])('reset-after %d bytes of the answer', async (count) => {
    const mock = await start({ kind: 'http', fault: { 'reset-after': count } });
    expect(await talk(mock, GET)).toMatchObject({ ended: 'reset', text: WIRE.slice(0, count) });
  });

  test.each([0, 20, WIRE.length - 1])('end-after %d bytes of the answer', async (count) => {
    const mock = await start({ kind: 'http', fault: { 'end-after': count } });
    expect(await talk(mock, GET)).toMatchObject({ ended: 'fin', text: WIRE.slice(0, count) });
  });

  test('a reset among the chunks cuts the body there', async () => {
    const mock = await start({ kind: 'http', reply: { chunks: ['one', { reset: true }, 'two'] } });
    const { text, ended } = await talk(mock, GET);
    expect(ended).toBe('reset');
    expect(text.endsWith('3\r\none\r\n')).toBe(true);
  });

  test('slow with a gate: the first bytes, then the rest when the gate opens', async () => {
    const gates = createGates();
    const mock = await start({ kind: 'http', fault: { slow: { chunk: 15, gate: 'go', giveUp: '60s' } } }, gates);
    const client = openRaw(mock);
    client.socket.write(GET);
    expect(await client.until((seen) => seen.length > 0)).toBe(WIRE.slice(0, 15));
    gates.open('go');
    expect(await client.ended).toMatchObject({ ended: 'fin', text: WIRE });
  });

  test('slow with a pause sends everything, bit by bit', async () => {
    const mock = await start({ kind: 'http', fault: { slow: { chunk: 30, every: '1ms' } } });
    expect(await talk(mock, GET)).toMatchObject({ ended: 'fin', text: WIRE });
  });

  test('slow stops when the client leaves', async () => {
    const mock = await start({ kind: 'http', fault: { slow: { chunk: 1, every: '1m' } } });
    const client = openRaw(mock);
    client.socket.write(GET);
    await client.until((seen) => seen === 'H');
    client.socket.destroy();
    expect(await mock.ledger.until((ledger) => ledger.active === 0, 5000)).toBe(true);
    expect(viewsOf(mock, 'aborted')).toEqual([{ aborted: true }]);
  });

  test('bad-chunk: good head, good chunk, then a chunk size that is no number', async () => {
    const { text, ended } = await talk(await start({ kind: 'http', fault: 'bad-chunk' }), GET);
    expect(ended).toBe('fin');
    expect(text).toContain('transfer-encoding: chunked\r\n\r\n2\r\nup\r\nzz\r\n');
    expect(text).not.toContain('content-length');
  });

  test('garbage: the answer is no HTTP', async () => {
    const { text } = await talk(await start({ kind: 'http', fault: 'garbage' }), GET);
    expect(text.length).toBeGreaterThan(0);
    expect(text).not.toMatch(/^HTTP/);
  });

  test('stop closes every open connection at once', async () => {
    const mock = await start({ kind: 'http', fault: 'hang' });
    const clients = [1, 2, 3].map(() => openRaw(mock));
    for (const client of clients) client.socket.write(GET);
    await mock.ledger.until((ledger) => ledger.entries.length === 3, 5000);
    await mock.stop();
    await Promise.all(clients.map((client) => client.ended));
    expect((await talk(mock, GET)).ended).toBe('refused');
  });
});
