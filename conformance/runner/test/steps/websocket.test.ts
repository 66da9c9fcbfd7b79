import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startPeers } from '../../peers/peers.ts';
import { stepKinds } from '../../steps/registry.ts';
import type { Observation } from '../../steps/step.ts';
import { stepContext } from '../support/step-context.ts';

/** Runs a step against a realtime peer of this script, without a proxy between. */
async function talk(
  peer: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly seen: Observation; readonly received: unknown }> {
  const peers = await startPeers({ up: { kind: 'realtime', ...peer } });
  onTestFinished(() => peers.stop());
  const { host, port, ledger } = peers.get('up');
  const context = await stepContext({ data: { host, port } }, { peers });
  const seen = (await stepKinds['websocket']?.run({ GET: '/v1/realtime?model=m', ...input }, context)) ?? {};
  await ledger.until(({ active }) => active === 0, 2000);
  context.background.stop();
  return { seen, received: ledger.entries[0]?.view() };
}

test('messages of all kinds in both directions, and the codes both sides close with', async () => {
  const { seen, received } = await talk(
    {
      greet: [{ send: { type: 'hello' } }, { text: 'plain' }, { base64: 'AAE=' }, { pieces: ['a', 'b'] }],
      on: [{ type: 'bye', do: [{ close: 4000, reason: 'over' }] }],
    },
    {
      do: [
        { await: 'ab' },
        { text: 'plain' },
        { base64: 'AAE=' },
        { ping: 'p' },
        { send: { type: 'bye' } },
        { await: 'never' },
      ],
    },
  );
  expect(seen).toMatchObject({
    status: 101,
    messages: [{ type: 'hello' }, 'plain', { base64: 'AAE=' }, 'ab'],
    pongs: ['p'],
    closeCode: 4000,
    closeReason: 'over',
  });
  expect(received).toMatchObject({
    path: '/v1/realtime',
    query: { model: 'm' },
    messages: ['plain', { base64: 'AAE=' }, { type: 'bye' }],
    closed: { code: 4000 },
  });
});

test('a refusal is seen with its status and body', async () => {
  const { seen } = await talk({ refuse: 403 }, {});
  expect(seen).toMatchObject({ status: 403, messages: [] });
  expect(seen['body']).toContain('the provider answers 403');
});

test('the credential is asked for', async () => {
  const { seen } = await talk({ key: 'good' }, { headers: { authorization: 'Bearer bad' } });
  expect(seen).toMatchObject({ status: 401 });
  const { seen: good } = await talk({ key: 'good' }, { headers: { authorization: 'Bearer good' } });
  expect(good).toMatchObject({ status: 101, closeCode: 1000 });
});

test('a frame that only a client may write is no message, and the connection malformed', async () => {
  const server = createServer().on('upgrade', ({ headers }, socket) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n');
    socket.write(`Sec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`);
    // "a", masked with zeros.
    socket.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x61]));
    socket.on('data', () => socket.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const peers = await startPeers({});
  onTestFinished(() => peers.stop());
  const context = await stepContext({ data: { host: '127.0.0.1', port } }, { peers });
  const seen = await stepKinds['websocket']?.run({ GET: '/', do: [{ await: 'a' }] }, context);
  context.background.stop();
  expect(seen).toMatchObject({ status: 101, messages: [], failure: 'malformed' });
});

test('a provider that is gone is 1006', async () => {
  const { seen } = await talk({ greet: [{ reset: true }] }, { do: [{ await: 'never' }] });
  expect(seen).toMatchObject({ status: 101, closeCode: 1006 });
});
