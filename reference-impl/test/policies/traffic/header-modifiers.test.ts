import { expect, test } from 'vitest';
import { headerModifiers } from '../../../policies/traffic/header-modifiers.ts';
import { after, answerOf, exchangeOf, fields } from '../support/exchange.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';

const FILTER = {
  add: [{ name: 'x', value: '1' }],
  set: [{ name: 'Y', value: '2' }],
  remove: ['z'],
};

test('TRAFFIC-007, TRAFFIC-008: each half edits its own message', async () => {
  const compiled = headerModifiers.compile({ request: FILTER }, ORIGIN);
  const exchange = exchangeOf({ headers: { x: '0', y: '0', z: '0' } });
  const now = after(exchange, (await headerModifiers.request?.(exchange, compiled, SERVICES)) ?? { kind: 'continue' });
  expect([...now.request.headers]).toEqual([
    ['x', '0'],
    ['Y', '2'],
    ['x', '1'],
  ]);
  const answer = answerOf(200, { z: '0' });
  expect(await headerModifiers.response?.(exchange, compiled, answer, SERVICES)).toBe(answer);
  const edited = await headerModifiers.response?.(exchange, { response: FILTER }, answer, SERVICES);
  expect(edited && fields(edited.headers)).toEqual({ x: '1', Y: '2' });
});

test('add comes first, so a set of the same name stands alone and a removed one is gone', async () => {
  const filter = { add: [{ name: 'a', value: '1' }], set: [{ name: 'a', value: '2' }], remove: ['b'] };
  const edited = await headerModifiers.response?.(
    exchangeOf(),
    { response: filter },
    answerOf(200, { b: '1' }),
    SERVICES,
  );
  expect(edited && [...edited.headers]).toEqual([['a', '2']]);
});

test('host is the authority, and framing is not to be edited', async () => {
  const filter = {
    set: [
      { name: 'Host', value: 'o.test' },
      { name: 'Content-Length', value: '7' },
    ],
    remove: ['host'],
  };
  const exchange = exchangeOf();
  const now = after(
    exchange,
    (await headerModifiers.request?.(exchange, { request: filter }, SERVICES)) ?? { kind: 'continue' },
  );
  expect(now.request).toMatchObject({ authority: 'o.test' });
  expect(now.request.headers.size).toBe(0);
});
