import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asksForCard } from '../../../backends/a2a/card-address.ts';
import { showCard } from '../../../backends/a2a/show-card.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { Answer, Routed } from '../../../exchange/exchange.ts';
import { answerOf, exchangeOf, fields, textOf } from '../../policies/support/exchange.ts';

const CARD = '/.well-known/agent-card.json';

/** A client that asked at one path, and the request as the agent got it. */
function exchange(asked: string, sent = asked, headers: Readonly<Record<string, string>> = {}): Routed {
  const routed = exchangeOf({ target: asked, headers });
  return { ...routed, request: { ...routed.request, target: sent } };
}

function asks(method: string, target: string): boolean {
  return asksForCard(exchangeOf({ method, target }).request);
}

async function shown(card: object, given: Routed): Promise<unknown> {
  const answer = await showCard(answerOf(200, { 'content-type': 'application/json' }, JSON.stringify(card)), given);
  return JSON.parse((await textOf(answer.body)) ?? '');
}

describe('the card of version 0.3', () => {
  test.each([
    ['at the root', CARD, CARD, 'http://h.test:3000'],
    ['below a path', `/a${CARD}`, `/a${CARD}`, 'http://h.test:3000/a'],
    ['with a rewrite of the prefix', `/pub${CARD}`, `/agents/x${CARD}`, 'http://h.test:3000/pub'],
    ['with its query', `/a${CARD}?x=1`, `/a${CARD}?x=1`, 'http://h.test:3000/a?x=1'],
    ['under its old name', '/a/.well-known/agent.json', '/a/.well-known/agent.json', 'http://h.test:3000/a'],
    ['by a rewrite of the whole path', '/card', CARD, 'http://h.test:3000/card'],
  ])('%s', async (_name, asked, sent, url) => {
    const card = await shown({ name: 'n', url: 'http://10.0.0.1:9/x', skills: [1] }, exchange(asked, sent));
    expect(card).toEqual({ name: 'n', url, skills: [1] });
  });

  test('has the scheme that the proxy in front names', async () => {
    const given = exchange(CARD, CARD, { 'x-forwarded-proto': 'https' });
    expect(await shown({ url: 'http://a' }, given)).toEqual({ url: 'https://h.test:3000' });
  });
});

describe('the card of version 1.0', () => {
  test.each([
    ['http://agent:9/agents/x', 'http://h.test:3000/pub'],
    ['http://agent:9/agents/x/', 'http://h.test:3000/pub/'],
    ['http://agent:9/agents/x/v1?b=c', 'http://h.test:3000/pub/v1?b=c'],
    ['https://elsewhere.test/agents/x/rpc', 'http://h.test:3000/pub/rpc'],
    ['http://agent:9/agents/xy', 'http://h.test:3000/agents/xy'],
    ['http://agent:9/', 'http://h.test:3000'],
    ['no url', 'no url'],
  ])('an interface at %s is found at %s', async (url, found) => {
    const given = exchange(`/pub${CARD}`, `/agents/x${CARD}`);
    const card = await shown({ supportedInterfaces: [{ url, protocolBinding: 'JSONRPC' }] }, given);
    expect(card).toEqual({ supportedInterfaces: [{ url: found, protocolBinding: 'JSONRPC' }] });
  });

  test('leads nowhere but to the proxy, whatever it says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.webUrl({ withQueryParameters: true }), fc.webPath(), async (url, base) => {
        const card = await shown({ supportedInterfaces: [{ url }], url }, exchange(`${base}${CARD}`));
        const here: unknown = expect.stringMatching(/^http:\/\/h\.test:3000(\/|\?|$)/);
        expect(card).toEqual({ supportedInterfaces: [{ url: here }], url: here });
      }),
    );
  });
});

describe('what is no usable card', () => {
  test.each([
    ['text', 'hello', 'agent card invalid JSON'],
    ['a list', '[]', 'agent card invalid JSON'],
    ['no address', '{"name":"n"}', 'agent card missing URL'],
  ])('%s is refused', async (_name, body, why) => {
    await expect(showCard(answerOf(200, {}, body), exchange(CARD))).rejects.toThrow(why);
  });

  test('is refused beyond the buffer limit', async () => {
    const given = exchangeOf({ target: CARD, maxBufferSize: 20 });
    await expect(showCard(answerOf(200, {}, '{"url":"http://agent.test"}'), given)).rejects.toThrow('too large');
  });

  test('passes where the agent refuses it', async () => {
    const refused: Answer = answerOf(401, { 'www-authenticate': 'Bearer' }, 'no');
    expect(await showCard(refused, exchange(CARD))).toBe(refused);
  });
});

test('a compressed card is told uncompressed, without what was said about its bytes', async () => {
  const body = bytesBody(gzipSync('{"url":"http://agent"}'));
  const answer = { ...answerOf(200, { 'content-encoding': 'gzip', 'content-length': '40', etag: '"1"' }), body };
  const told = await showCard(answer, exchange(CARD));
  expect(await textOf(told.body)).toBe('{"url":"http://h.test:3000"}');
  expect(fields(told.headers)).toEqual({ etag: '"1"' });
});

test('only a GET of a well-known path asks for a card', () => {
  expect(asks('GET', `/a${CARD}?x`)).toBe(true);
  expect(asks('HEAD', CARD)).toBe(false);
  expect(asks('POST', CARD)).toBe(false);
  expect(asks('GET', `${CARD}/more`)).toBe(false);
});
