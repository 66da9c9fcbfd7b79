import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ALGORITHM_NAMES } from '../../idp/algorithms.ts';
import { timeWord } from '../../idp/time-words.ts';
import type { Mock } from '../../mock.ts';
import { start } from '../support/start.ts';
import { wallClock } from '../../wall-clock.ts';

const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

async function mint(mock: Mock, token: unknown): Promise<string> {
  return (await mock.mint?.(token)) ?? '';
}

function verify(token: string, mock: Mock): ReturnType<typeof jwtVerify> {
  return jwtVerify(token, createLocalJWKSet(keySet.parse(JSON.parse(String(mock.variables?.['jwks'])))));
}

describe('tokens of the idp mock', () => {
  test.each(ALGORITHM_NAMES)('a %s token is good for a library that knows nothing of the mock', async (alg) => {
    const mock = await start({ kind: 'idp', issuer: 'https://idp.test', keys: [{ kid: 'k', alg }] });
    const { payload, protectedHeader } = await verify(await mint(mock, { claims: { aud: ['a', 'b'] } }), mock);
    expect(protectedHeader).toEqual({ alg, typ: 'JWT', kid: 'k' });
    expect(payload).toMatchObject({ iss: 'https://idp.test', sub: 'user', aud: ['a', 'b'] });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3600);
  });

  test('claims and header take members out and put others in; times may be words', async () => {
    const mock = await start({ kind: 'idp' });
    const spec = { claims: { iss: null, exp: 'now-2m', nbf: 'now', note: 'now-ish' }, header: { kid: null, x: 1 } };
    const token = await mint(mock, spec);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'JWT', x: 1 });
    const claims = decodeJwt(token);
    expect(claims).not.toHaveProperty('iss');
    expect(claims['note']).toBe('now-ish');
    expect(Number(claims.nbf) - Number(claims.exp)).toBe(120);
  });

  test.each([
    ['bit turned', { tamper: 'signature' }, errors.JWSSignatureVerificationFailed],
    ['claim changed', { tamper: 'payload' }, errors.JWSSignatureVerificationFailed],
    ['signature cut off', { tamper: 'no-signature' }, errors.JWSSignatureVerificationFailed],
    ['key nobody knows', { key: 'rogue' }, errors.JWSSignatureVerificationFailed],
    ['none', { alg: 'none' }, errors.JOSENotSupported],
    ['public key as secret', { alg: 'HS256', key: 'public' }, errors.JOSENotSupported],
    ['expired', { claims: { exp: 'now-2m' } }, errors.JWTExpired],
  ])('a flaw is there: %s', async (_, spec, error) => {
    const mock = await start({ kind: 'idp', keys: [{ kid: 'r', alg: 'RS256' }] });
    await expect(verify(await mint(mock, spec), mock)).rejects.toBeInstanceOf(error);
  });

  test.each([
    ['a key that is not there', { key: 'nobody' }],
    ['an algorithm the key cannot sign', { alg: 'RS256' }],
    ['an algorithm nobody knows', { alg: 'XY1' }],
    ['a member nobody knows', { claim: {} }],
  ])('%s is refused', async (_, spec) => {
    await expect(mint(await start({ kind: 'idp' }), spec)).rejects.toThrow();
  });
});

test.each([
  ['now', 0],
  ['now-2m', -120],
  ['now+1h', 3600],
  ['now+30d', 2_592_000],
])('%s is a time', (word, offset) => {
  const now = Number(timeWord('now'));
  expect(Number(timeWord(word)) - now - offset).toBeOneOf([0, 1]);
  expect(Math.abs(now - wallClock() / 1000)).toBeLessThan(3600);
});

test('now follows the clock of the machine when somebody sets it', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const before = wallClock();
    vi.setSystemTime(before + 7_200_000);
    expect(timeWord('now')).toBe(Math.floor(before / 1000) + 7200);
  } finally {
    vi.useRealTimers();
  }
});

test.each(['nowhere', 'now-', 'now+1y', '', 12, null, true])('%j is no time', (value) => {
  expect(timeWord(value)).toBe(value);
});
