import { describe, expect, test } from 'vitest';
import { createGates } from '../../../gates.ts';
import { openRaw, talk } from '../../support/raw-client.ts';
import { viewsOf, start } from '../../support/start.ts';

describe('the tcp mock', () => {
  test('plays its sends around what arrives, and records it', async () => {
    const mock = await start({
      kind: 'tcp',
      greeting: 'hi ',
      sends: [{ after: 'ping' }, 'pong ', { after: 3 }, 'done', { end: true }],
    });
    const client = openRaw(mock);
    await client.until((seen) => seen === 'hi ');
    client.socket.write('pi');
    client.socket.write('ng');
    await client.until((seen) => seen === 'hi pong ');
    client.socket.write('abc');
    expect(await client.ended).toMatchObject({ text: 'hi pong done', ended: 'fin' });
    expect(await mock.ledger.until((ledger) => ledger.active === 0, 5000)).toBe(true);
    expect(viewsOf(mock, 'body', 'connection')).toEqual([{ body: 'pingabc', connection: 1 }]);
  });

  test('echo gives back what arrives', async () => {
    const client = openRaw(await start({ kind: 'tcp', echo: true }));
    client.socket.end('same');
    expect((await client.ended).text).toBe('same');
  });

  test('a gate holds the rest', async () => {
    const gates = createGates();
    const client = openRaw(
      await start({ kind: 'tcp', sends: ['a', { gate: 'g', giveUp: '60s' }, 'b', { end: true }] }, gates),
    );
    expect(await client.until((seen) => seen.length > 0)).toBe('a');
    gates.open('g');
    expect((await client.ended).text).toBe('ab');
  });

  test('reset among the sends', async () => {
    const mock = await start({ kind: 'tcp', sends: [{ after: 1 }, 'a', { reset: true }] });
    expect(await talk(mock, 'x')).toMatchObject({
      text: 'a',
      ended: 'reset',
    });
  });

  test('faults refuse and reset', async () => {
    expect((await talk(await start({ kind: 'tcp', fault: 'refuse' }), 'x')).ended).toBe('refused');
    const resetting = await start({ kind: 'tcp', fault: 'reset' });
    expect((await talk(resetting, 'x')).ended).toBe('reset');
    expect(resetting.ledger.attempted).toBe(1);
  });

  test('hang takes everything and says nothing, not even good-bye', async () => {
    const mock = await start({ kind: 'tcp', fault: 'hang' });
    const client = openRaw(mock);
    client.socket.end('x');
    expect(await mock.ledger.until((ledger) => ledger.entries[0]?.view()['ended'] === 'fin', 5000)).toBe(true);
    expect(client.socket.readableEnded).toBe(false);
    client.socket.destroy();
  });

  test('half-close ends its side and goes on reading', async () => {
    const mock = await start({ kind: 'tcp', fault: 'half-close' });
    const client = openRaw(mock);
    client.socket.allowHalfOpen = true;
    await new Promise((resolve) => client.socket.once('end', resolve));
    client.socket.end('late');
    await client.ended;
    expect(await mock.ledger.until((ledger) => ledger.active === 0, 5000)).toBe(true);
    expect(viewsOf(mock, 'body', 'ended')).toEqual([{ body: 'late', ended: 'fin' }]);
  });

  test('a Unix domain socket', async () => {
    const mock = await start({ kind: 'tcp', unix: true, sends: ['u', { end: true }] });
    expect((await talk(mock, '')).text).toBe('u');
  });

  test('a script error names the member', async () => {
    await expect(start({ kind: 'tcp', fault: 'slow' })).rejects.toThrow(/fault/);
  });
});
