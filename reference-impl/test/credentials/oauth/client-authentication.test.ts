import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { tokenExchange } from '../../../credentials/oauth/token-exchange.ts';
import type { OAuthClientAuth } from '../../../resources/proxy-policy/fields/auth/oauth-client-auth.ts';
import { ORIGIN } from '../../support/inert.ts';
import { manualClock } from '../../trace/manual-clock.ts';
import { hasOpenssl, makeCertificate } from '../../support/certificates.ts';
import { backendRef, endpoints, requestWith, shown, type Endpoints } from './support.ts';

type Secrets = Parameters<typeof requestWith>[2];

/** What the endpoint is asked when the client names itself so. */
async function asking(clientAuth: OAuthClientAuth, secrets: Secrets, times = 1): Promise<Endpoints> {
  const clock = manualClock();
  clock.advance(1_000_000_000);
  const made = endpoints(clock);
  const cache = { inMemory: { maxEntries: 0 } };
  const lent = tokenExchange({ backendRef: backendRef('tokens'), clientAuth, cache }, ORIGIN);
  for (let time = 0; time < times; time += 1) {
    const exchange = requestWith(clock, { headers: { authorization: 'Bearer alice' } }, secrets);
    await shown(lent, exchange, made.services);
  }
  return made;
}

describe('a client with a secret', () => {
  test.each([
    ['c', 's', 'c:s'],
    ['a:b', 's p', 'a%3Ab:s+p'],
    ['ä', '+/=&%', '%C3%A4:%2B%2F%3D%26%25'],
  ])('%s and %s stand form-encoded in the header, not in the form', async (clientId, clientSecret, pair) => {
    const { asked } = await asking({ clientId, secretRef: { name: 's' } }, { s: { clientSecret } });
    expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from(pair).toString('base64')}`);
    expect(asked[0]?.form.has('client_id')).toBe(false);
    expect(asked[0]?.form.has('client_secret')).toBe(false);
  });

  test.each<[OAuthClientAuth, string]>([
    [{ clientId: 'c', method: 'ClientSecretPost', secretRef: { name: 's' } }, 'client_id=c&client_secret=one'],
    [
      { clientId: 'c', method: 'ClientSecretPost', secretRef: { name: 's', key: 'other' } },
      'client_id=c&client_secret=two',
    ],
    [{ clientId: 'c', method: 'ClientSecretPost' }, 'client_id=c'],
  ])('%j ends the form', async (clientAuth, end) => {
    const { asked } = await asking(clientAuth, { s: { clientSecret: 'one', other: 'two' } });
    expect(asked[0]?.form.toString()).toMatch(new RegExp(`&${end}$`));
    expect(asked[0]?.authorization).toBeUndefined();
  });
});

const KEYS = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
};
/** The algorithm of a key for which none is named. */
const OWN = { rsa: 'RS256', p256: 'ES256', p384: 'ES384' };
const pem = (key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1' = 'pkcs8'): string =>
  key.export({ format: 'pem', type }).toString();

const jwt = { signingKeyRef: { name: 'k' }, assertionAudience: 'https://as.test' };
const client = (more: object = {}): OAuthClientAuth => ({
  clientId: 'c',
  method: 'PrivateKeyJwt',
  privateKeyJwt: { ...jwt, ...more },
});

describe('a client with a key', () => {
  test.each<[keyof typeof KEYS, 'pkcs1' | 'pkcs8' | 'sec1', NonNullable<OAuthClientAuth['privateKeyJwt']>['alg']]>([
    ['rsa', 'pkcs8', undefined],
    ['rsa', 'pkcs1', 'RS384'],
    ['rsa', 'pkcs8', 'RS512'],
    ['rsa', 'pkcs1', 'PS256'],
    ['p256', 'sec1', 'ES256'],
    ['p384', 'pkcs8', 'ES384'],
    ['p256', 'pkcs8', undefined],
    ['p384', 'sec1', undefined],
  ])('%s in %s signs what it says of itself with %s', async (name, form, alg) => {
    const { privateKey, publicKey } = KEYS[name];
    const { asked } = await asking(client(alg === undefined ? { kid: 'k1' } : { alg }), {
      k: { signingKey: pem(privateKey, form) },
    });
    const question = asked[0];
    const assertion = question?.form.get('client_assertion') ?? '';
    const { protectedHeader } = await compactVerify(assertion, publicKey);
    const payload = decodeJwt(assertion);
    expect(protectedHeader).toEqual(
      alg === undefined ? { alg: OWN[name], typ: 'JWT', kid: 'k1' } : { alg, typ: 'JWT' },
    );
    expect(payload.jti).toMatch(/^[0-9a-f-]{36}$/);
    expect({ ...payload, jti: undefined }).toEqual({
      iss: 'c',
      sub: 'c',
      aud: 'https://as.test',
      iat: 999_990,
      nbf: 999_990,
      exp: 1_000_300,
    });
    expect(question?.form.get('client_id')).toBe('c');
    expect(question?.form.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    expect(question?.authorization).toBeUndefined();
  });

  test('says so with an assertion of its own each time', async () => {
    const { asked } = await asking(client(), { k: { signingKey: pem(KEYS.rsa.privateKey) } }, 3);
    expect(new Set(asked.map(({ form }) => form.get('client_assertion'))).size).toBe(3);
  });

  test.each<[string, object, Secrets]>([
    ['no Secret', {}, {}],
    ['another key of the Secret', {}, { k: { other: pem(KEYS.rsa.privateKey) } }],
    ['garbage', {}, { k: { signingKey: 'secret garbage' } }],
    ['a key of another family', { alg: 'ES256' }, { k: { signingKey: pem(KEYS.rsa.privateKey) } }],
    ['a key of another curve', { alg: 'ES384' }, { k: { signingKey: pem(KEYS.p256.privateKey) } }],
    [
      'no certificate',
      { certificateRef: { name: 'k' }, certificateHeader: 'x5c' },
      { k: { signingKey: pem(KEYS.rsa.privateKey) } },
    ],
    [
      'a certificate that is none',
      { certificateRef: { name: 'k' }, certificateHeader: 'x5c' },
      { k: { signingKey: pem(KEYS.rsa.privateKey), certificate: 'secret garbage' } },
    ],
  ])('is not heard with %s', async (_, more, secrets) => {
    const asked = asking(client(more), secrets);
    await expect(asked).rejects.toMatchObject({ code: 'backendAuthenticationFailed' });
    await expect(asked).rejects.not.toThrow(/garbage|BEGIN/);
  });
});

describe.skipIf(!hasOpenssl)('a client with a certificate', () => {
  const authority = makeCertificate('authority');
  const leaf = makeCertificate('leaf');
  const chain = `${leaf.certificate}\n${authority.certificate}`;

  test.each([
    ['x5c', [der(leaf.certificate), der(authority.certificate)]],
    [
      'x5t#S256',
      createHash('sha256')
        .update(Buffer.from(der(leaf.certificate), 'base64'))
        .digest('base64url'),
    ],
  ])('shows its certificate as %s', async (certificateHeader, value) => {
    const more = { alg: 'ES256', certificateRef: { name: 'k' }, certificateHeader };
    const { asked, warned } = await asking(client(more), { k: { signingKey: leaf.key, certificate: chain } });
    const header = decodeProtectedHeader(asked[0]?.form.get('client_assertion') ?? '');
    expect(header).toEqual({ alg: 'ES256', typ: 'JWT', [certificateHeader]: value });
    expect(warned).toEqual([]);
  });

  test('with the certificate of another is warned about once, and heard', async () => {
    const more = { alg: 'ES256', certificateRef: { name: 'k' }, certificateHeader: 'x5c' };
    const { asked, warned } = await asking(
      client(more),
      { k: { signingKey: leaf.key, certificate: authority.certificate } },
      3,
    );
    expect(asked).toHaveLength(3);
    expect(warned).toEqual([
      { message: 'the certificate is not that of the signing key', fields: { certificate: 'k', signingKey: 'k' } },
    ]);
  });
});

function der(certificate: string): string {
  return certificate.replaceAll(/-----[^-]+-----|\s/g, '');
}
