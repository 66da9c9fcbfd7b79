import { generateKeyPairSync } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseKeySet } from '../../../credentials/key-sets/key-set.ts';

const rsa = jwkOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const p256 = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const p384 = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }));
const p521 = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-521' }));
const ed = jwkOf(generateKeyPairSync('ed25519'));

function jwkOf({
  publicKey,
}: {
  readonly publicKey: { readonly export: (as: { format: 'jwk' }) => JsonWebKey };
}): JsonWebKey {
  return publicKey.export({ format: 'jwk' });
}

function algorithmsOf(...keys: readonly unknown[]): unknown {
  const set = parseKeySet(JSON.stringify({ keys }));
  return [Object.fromEntries([...(set?.keys ?? [])].map(([kid, { algorithms }]) => [kid, algorithms])), set?.unusable];
}

test.each([
  ['RSA', rsa, ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
  ['RSA for one algorithm', { ...rsa, alg: 'PS256' }, ['PS256']],
  ['P-256', p256, ['ES256']],
  ['P-384', { ...p384, alg: 'ES384', use: 'sig' }, ['ES384']],
  ['Ed25519', ed, ['EdDSA', 'Ed25519']],
])('%s', (_, key, algorithms) => {
  expect(algorithmsOf({ ...key, kid: 'k' })).toEqual([{ k: algorithms }, []]);
});

test.each([
  ['no name', rsa, 'a key without kid'],
  ['P-521', { ...p521, kid: 'k' }, 'key "k" has a type or an algorithm that is not taken'],
  ['a secret', { kty: 'oct', k: 'AAAA', kid: 'k' }, 'key "k" has a type or an algorithm that is not taken'],
  ['a secret that claims a type', { kty: 'RSA', k: 'AAAA', kid: 'k' }, 'key "k" is no valid key'],
  [
    'an algorithm of another type',
    { ...rsa, alg: 'HS256', kid: 'k' },
    'key "k" has a type or an algorithm that is not taken',
  ],
  ['encryption', { ...rsa, use: 'enc', kid: 'k' }, 'key "k" is not for signatures'],
  ['a point that is not on the curve', { ...p256, x: p256.y, kid: 'k' }, 'key "k" is no valid key'],
  ['no object', 1, 'a key that is no object'],
])('a key that is not usable leaves the others alone: %s', (_, key, reason) => {
  expect(algorithmsOf(key, { ...ed, kid: 'good' })).toEqual([{ good: ['EdDSA', 'Ed25519'] }, [reason]]);
});

test('the first of two keys with one name counts', () => {
  expect(algorithmsOf({ ...rsa, kid: 'k' }, { ...ed, kid: 'k' })).toMatchObject([
    { k: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] },
    [],
  ]);
});

test.each(['', '[]', '{}', '{"keys":{}}', 'null', '{"keys":'])('%j is no key set', (text) => {
  expect(parseKeySet(text)).toBeUndefined();
});

test('a type or a curve that is no text is none', () => {
  const odd = { toString: 0 };
  const set = parseKeySet(
    JSON.stringify({
      keys: [
        { kty: odd, kid: 'a' },
        { kty: 'EC', crv: odd, kid: 'b' },
      ],
    }),
  );
  expect([set?.keys.size, set?.unusable.length]).toEqual([0, 2]);
});

test('whatever stands in a key set, reading it does not throw', () => {
  const member = fc.oneof(fc.constantFrom('RSA', 'EC', 'OKP', 'oct', 'P-256', 'AQAB', 'sig'), fc.jsonValue());
  const key = fc.dictionary(fc.constantFrom('kty', 'kid', 'alg', 'use', 'n', 'e', 'crv', 'x', 'y', 'k'), member);
  fc.assert(
    fc.property(fc.array(fc.oneof(key, fc.jsonValue()), { maxLength: 5 }), (keys) => {
      const set = parseKeySet(JSON.stringify({ keys }));
      expect((set?.keys.size ?? 0) + (set?.unusable.length ?? 0)).toBeLessThanOrEqual(keys.length);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => void parseKeySet(text)));
});
