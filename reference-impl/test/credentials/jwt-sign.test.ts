import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { compactVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { jwtSign } from '../../credentials/jwt-sign.ts';
import type { JWTSign } from '../../resources/proxy-policy/fields/auth/jwt-sign.ts';
import { ORIGIN, SERVICES } from '../support/inert.ts';
import { manualClock } from '../trace/manual-clock.ts';
import { requestWith, shown } from './oauth/support.ts';

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SHORT = generateKeyPairSync('rsa', { modulusLength: 1024 });
const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const P384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const P521 = generateKeyPairSync('ec', { namedCurve: 'P-521' });
const OKP = generateKeyPairSync('ed25519');

function pem(key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1' = 'pkcs8'): string {
  // Each form has an overload of its own.
  if (type === 'pkcs1') return String(key.export({ type, format: 'pem' }));
  if (type === 'sec1') return String(key.export({ type, format: 'pem' }));
  return String(key.export({ type, format: 'pem' }));
}

/** What `openssl ecparam -genkey` writes before the key of P-256. */
const PARAMETERS = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';

describe('a token is signed with a key that stands in its Secret', () => {
  test.each([
    ['as PKCS #8', pem(RSA.privateKey), 'RS256', RSA.publicKey],
    ['as PKCS #1', pem(RSA.privateKey, 'pkcs1'), 'PS256', RSA.publicKey],
    ['as PKCS #8 of a curve', pem(P256.privateKey), 'ES256', P256.publicKey],
    ['as SEC 1', pem(P384.privateKey, 'sec1'), 'ES384', P384.publicKey],
    ['behind the parameters of its curve', PARAMETERS + pem(P256.privateKey, 'sec1'), 'ES256', P256.publicKey],
    ['behind a text', `Bag Attributes: none\nKey Attributes:\n${pem(RSA.privateKey)}`, 'RS384', RSA.publicKey],
    ['with lines of Windows', pem(RSA.privateKey).replaceAll('\n', '\r\n'), 'RS512', RSA.publicKey],
    ['without its last line end', pem(P256.privateKey).trim(), 'ES256', P256.publicKey],
    [
      'before its public half',
      pem(P256.privateKey) + String(P256.publicKey.export({ type: 'spki', format: 'pem' })),
      'ES256',
      P256.publicKey,
    ],
  ] as const)('%s', async (_, key, alg, publicKey) => {
    const token = await signed({ alg }, key);
    const { payload, protectedHeader } = await compactVerify(token, publicKey);
    expect(protectedHeader).toEqual({ typ: 'JWT', alg });
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ sub: 'svc', iat: 0, exp: 300 });
  });
});

describe('SIGN-013: nothing is signed, and nothing sent,', () => {
  test.each<[string, string, JWTSign['alg'] | undefined]>([
    ['with a curve under the default algorithm', pem(P256.privateKey), undefined],
    ['with an RSA key for a curve', pem(RSA.privateKey), 'ES256'],
    ['with P-256 for ES384', pem(P256.privateKey), 'ES384'],
    ['with P-384 for ES256', pem(P384.privateKey), 'ES256'],
    ['with P-521', pem(P521.privateKey), 'ES384'],
    ['with Ed25519', pem(OKP.privateKey), 'ES256'],
    ['with an RSA key of 1,024 bits', pem(SHORT.privateKey), 'RS256'],
    ['with a public key', String(RSA.publicKey.export({ type: 'spki', format: 'pem' })), 'RS256'],
    ['with an encrypted key', encrypted(), 'RS256'],
    ['with half of a key', pem(RSA.privateKey).slice(0, 600), 'RS256'],
    ['with a text', 'top secret', 'RS256'],
    ['with nothing', '', 'RS256'],
  ])('%s', async (_, key, alg) => {
    const token = signed(alg === undefined ? {} : { alg }, key);
    await expect(token).rejects.toMatchObject({ code: 'backendAuthenticationFailed' });
    await expect(token).rejects.not.toThrow(/top secret|BEGIN|MII/);
  });
});

function encrypted(): string {
  const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' } as const;
  return String(RSA.privateKey.export(options));
}

/** SIGN-007, SIGN-008, SIGN-009 */
test.each([
  [undefined, 300],
  ['1m', 60],
  ['1500ms', 2],
  ['24h', 86_400],
])('with the ttl %s a token lasts %i seconds from its request', async (ttl, seconds) => {
  const clock = manualClock();
  clock.advance(5_999);
  const token = await signed({ alg: 'ES256', ...(ttl === undefined ? {} : { ttl }) }, pem(P256.privateKey), clock);
  const { payload } = await compactVerify(token, P256.publicKey);
  expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ iat: 5, exp: 5 + seconds });
});

test('SIGN-012: no two requests share a token, and a later one has later times', async () => {
  const clock = manualClock();
  const lent = jwtSign({ signingKeyRef: { name: 's' }, alg: 'RS256', claims: { sub: 'svc' } }, ORIGIN);
  const exchange = requestWith(clock, {}, { s: { signingKey: pem(RSA.privateKey) } });
  const first = await shown(lent, exchange, SERVICES);
  clock.advance(1_000);
  const second = await shown(lent, exchange, SERVICES);
  expect(second.headers.get('authorization')).not.toBe(first.headers.get('authorization'));
});

test('a Secret that changes signs with its new key at once, and a change back with the old one', async () => {
  const clock = manualClock();
  const lent = jwtSign({ signingKeyRef: { name: 's' }, alg: 'ES256', claims: { sub: 'svc' } }, ORIGIN);
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (const { privateKey, publicKey } of [P256, other, P256]) {
    const exchange = requestWith(clock, {}, { s: { signingKey: pem(privateKey) } });
    const { headers } = await shown(lent, exchange, SERVICES);
    const token = headers.get('authorization')?.replace('Bearer ', '') ?? '';
    await expect(compactVerify(token, publicKey)).resolves.toBeDefined();
  }
});

async function signed(field: Partial<JWTSign>, key: string, clock = manualClock()): Promise<string> {
  const lent = jwtSign({ signingKeyRef: { name: 's' }, claims: { sub: 'svc' }, ...field }, ORIGIN);
  const { headers } = await shown(lent, requestWith(clock, {}, { s: { signingKey: key } }), SERVICES);
  return headers.get('authorization')?.replace('Bearer ', '') ?? '';
}
