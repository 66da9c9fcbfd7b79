import { describe, expect, test } from 'vitest';
import { csrf } from '../../../policies/traffic/csrf.ts';
import { exchangeOf } from '../support/exchange.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';

async function passes(method: string, headers: Readonly<Record<string, string>>, authority?: string): Promise<boolean> {
  const compiled = csrf.compile({ additionalOrigins: ['https://shop.example', 'https://[::1]:8443'] }, ORIGIN);
  const exchange = exchangeOf({ method, headers, ...(authority !== undefined && { authority }) });
  const outcome = await csrf.request?.(exchange, compiled, SERVICES);
  return outcome?.kind === 'continue';
}

describe('csrf', () => {
  test.each([
    ['its own origin', { origin: 'http://h.test:3000' }],
    ['its own origin in other letters', { origin: 'HTTP://H.TEST:3000' }],
    ['a listed origin', { origin: 'https://shop.example' }],
    ['a listed origin with its default port', { origin: 'https://shop.example:443' }],
    ['a listed address', { origin: 'https://[::1]:8443' }],
    ['no origin', {}],
    ['a browser that says so', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['a browser on its own', { 'sec-fetch-site': 'none' }],
    ['a listed origin across sites', { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }],
  ])('passes: %s', async (_, headers) => {
    expect(await passes('POST', headers)).toBe(true);
  });

  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another scheme', { origin: 'https://h.test:3000' }],
    ['another port', { origin: 'http://h.test' }],
    ['nobody', { origin: 'null' }],
    ['no origin at all', { origin: '' }],
    ['two origins in one field', { origin: 'https://shop.example https://evil.example' }],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a value nobody knows', { 'sec-fetch-site': 'own' }],
  ])('refused: %s', async (_, headers) => {
    expect(await passes('POST', headers)).toBe(false);
  });

  test.each(['GET', 'HEAD', 'OPTIONS'])('%s changes nothing and passes', async (method) => {
    expect(await passes(method, { origin: 'https://evil.example' })).toBe(true);
  });

  test('a Host without port means the default port', async () => {
    expect(await passes('POST', { origin: 'http://h.test' }, 'h.test:80')).toBe(true);
  });
});
