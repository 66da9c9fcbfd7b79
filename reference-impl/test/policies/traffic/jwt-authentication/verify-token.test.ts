import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { parseKeySet, NO_KEYS } from '../../../../credentials/key-sets/key-set.ts';
import type { Provider } from '../../../../policies/traffic/jwt-authentication/provider.ts';
import { verifyToken } from '../../../../policies/traffic/jwt-authentication/verify-token.ts';
import { SERVICES } from '../../../support/inert.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const keys = parseKeySet(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] })) ?? NO_KEYS;
const NOW = 1_800_000_000_000;
const provider: Provider = { issuer: 'https://idp.test', audiences: undefined, keySet: () => keys };

function sign(
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const all = { iss: 'https://idp.test', exp: NOW / 1000 + 10, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg: 'EdDSA', kid: 'k', ...header }).sign(privateKey);
}

const ASKED = { keysOf: () => keys, services: SERVICES };

const verdictOn = (token: string): ReturnType<typeof verifyToken> => verifyToken(token, [provider], ASKED, NOW);

test.each([
  [{ exp: NOW / 1000 - 59 }, true],
  [{ exp: NOW / 1000 - 60 }, false],
  [{ exp: 'soon' }, false],
  [{ exp: undefined }, false],
  [{ nbf: NOW / 1000 + 60 }, true],
  [{ nbf: NOW / 1000 + 61 }, false],
  [{ nbf: 'later' }, false],
])('times are checked with a minute of leeway: %j', async (claims, good) => {
  expect('claims' in (await verdictOn(await sign(claims)))).toBe(good);
});

test('of a token that was good, its times and its audience are judged again, and so is its signature for another key set', async () => {
  const token = await sign({ aud: 'here' });
  expect(await verdictOn(token)).toHaveProperty('claims.aud', 'here');
  expect(await verdictOn(token)).toHaveProperty('claims.aud', 'here');
  expect(await verifyToken(token, [provider], ASKED, NOW + 71_000)).toHaveProperty('reason');
  const elsewhere = { ...provider, audiences: ['elsewhere'] };
  expect(await verifyToken(token, [elsewhere], ASKED, NOW)).toHaveProperty('reason');
  const jwk = { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid: 'k' };
  const others = parseKeySet(JSON.stringify({ keys: [jwk] })) ?? NO_KEYS;
  expect(await verifyToken(token, [provider], { ...ASKED, keysOf: () => others }, NOW)).toHaveProperty('reason');
  const altered = `${token.slice(0, -4)}AAAA`;
  expect(await verdictOn(altered)).toHaveProperty('reason');
});

test.each([
  ['an extension nobody knows', { crit: ['x'], x: 1 }],
  ['a payload that is not encoded', { crit: ['b64'], b64: false }],
])('a header with %s is refused, however well it is signed', async (_, more) => {
  const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid: 'k', ...more })).toString('base64url');
  const input = `${header}.${(await sign({})).split('.')[1] ?? ''}`;
  const token = `${input}.${signBytes(null, Buffer.from(input), privateKey).toString('base64url')}`;
  expect(await verdictOn(token)).toHaveProperty('reason');
});

test('a refusal never quotes the token beyond the name of its key, and of that only so much', async () => {
  const token = await sign({ secret: 'very-secret' }, { kid: 'n'.repeat(5000) });
  const verdict = await verdictOn(token);
  expect(JSON.stringify(verdict).length).toBeLessThan(300);
  expect(JSON.stringify(verdict)).not.toContain('very-secret');
});

test('whatever a client sends, there is a verdict', async () => {
  const good = await sign({});
  const part = fc.oneof(
    fc.constantFrom(...good.split('.')),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
    fc.string(),
  );
  const token = fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.'));
  await fc.assert(
    fc.asyncProperty(token, async (text) => {
      const verdict = await verdictOn(text);
      if (text !== good) expect(verdict).toHaveProperty('reason');
    }),
  );
});
