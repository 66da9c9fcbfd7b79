import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { Cancellation } from '../../../base/cancellation.ts';
import type { Clock } from '../../../base/clock.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../../base/read-body.ts';
import type { Targeted } from '../../../exchange/exchange.ts';
import { cloudCTokens } from '../../../credentials/cloud-c/cloud-c-tokens.ts';
import type { Call } from '../../../upstream/http-call.ts';
import { createTokenCache } from '../../../credentials/token-cache.ts';
import type { Services } from '../../../credentials/services.ts';
import { exchangeOf } from '../../policies/support/exchange.ts';
import { BACKEND, ORIGIN, SERVICES } from '../../support/inert.ts';
import { viewWith } from '../../trace/views.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const ACCOUNT = {
  type: 'service_account',
  client_email: 'me@project.example',
  private_key: privateKey,
  private_key_id: 'k1',
  token_uri: 'https://tokens.example:8443/token?x=1',
};

let now = 1_000_000;
const clock: Clock = { monotonic: () => now, wall: () => now, after: () => () => {} };

beforeEach(() => {
  now = 1_000_000;
});

/** A request under a configuration whose Secret says this. */
function exchangeWith(credentials: string | undefined): Targeted {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: ORIGIN.namespace, name: 'account' },
    stringData: { 'credentials.json': credentials },
  };
  const view = viewWith(...(credentials === undefined ? [] : [secret]));
  return { ...exchangeOf(), backend: BACKEND, view, clock, cancellation: new Cancellation() };
}

/** A server of tokens that counts. */
function server(status = 200, body: object = {}): { readonly services: Services; readonly calls: Call[] } {
  const calls: Call[] = [];
  const http: Services['http'] = {
    send: async (call) => {
      calls.push(call);
      const json = JSON.stringify({ access_token: `token-${calls.length}`, expires_in: 3600, ...body });
      return { status, headers: HeaderMap.EMPTY, body: bytesBody(Buffer.from(json)) };
    },
    close: () => Promise.resolve(),
  };
  return { services: { ...SERVICES, http, tokens: createTokenCache(clock) }, calls };
}

describe('a service account', () => {
  const field = { secretRef: { name: 'account' } };

  test('asks its token server with a signed statement', async () => {
    const exchange = exchangeWith(JSON.stringify(ACCOUNT));
    const { services, calls } = server();
    expect(await cloudCTokens(field, ORIGIN, {}).token(exchange, services)).toBe('token-1');
    const [call] = calls;
    expect(call?.endpoint).toEqual({ kind: 'tcp', host: 'tokens.example', port: 8443 });
    expect(call?.dial.tls).toBeDefined();
    expect(call?.request).toMatchObject({ method: 'POST', target: '/token?x=1', authority: 'tokens.example:8443' });
    const { bytes } = await readBody(call?.request.body, 10_000);
    const form = new URLSearchParams(Buffer.from(bytes).toString());
    expect(decodeJwt(form.get('assertion') ?? '')).toEqual({
      iss: ACCOUNT.client_email,
      aud: ACCOUNT.token_uri,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      iat: 1000,
      exp: 4600,
    });
  });

  test('keeps a token until a minute before its end, and no longer than its credentials', async () => {
    const exchange = exchangeWith(JSON.stringify(ACCOUNT));
    const { services } = server();
    const tokens = cloudCTokens(field, ORIGIN, {});
    expect(await tokens.token(exchange, services)).toBe('token-1');
    now += 3_539_000;
    expect(await tokens.token(exchange, services)).toBe('token-1');
    now += 1_000;
    expect(await tokens.token(exchange, services)).toBe('token-2');
    const other = exchangeWith(JSON.stringify({ ...ACCOUNT, private_key_id: 'k2' }));
    expect(await tokens.token(other, services)).toBe('token-3');
  });

  test('gives twenty requests at the same time one token, which was asked for once', async () => {
    const { services, calls } = server();
    const tokens = cloudCTokens(field, ORIGIN, {});
    const exchanges = Array.from({ length: 20 }, () => exchangeWith(JSON.stringify(ACCOUNT)));
    const given = await Promise.all(exchanges.map((exchange) => tokens.token(exchange, services)));
    expect(given).toEqual(Array.from({ length: 20 }, () => 'token-1'));
    expect(calls).toHaveLength(1);
  });

  test('is asked for once when the client that came first goes away', async () => {
    const { services, calls } = server();
    const tokens = cloudCTokens(field, ORIGIN, {});
    const [first, second] = [exchangeWith(JSON.stringify(ACCOUNT)), exchangeWith(JSON.stringify(ACCOUNT))];
    const given = Promise.allSettled([tokens.token(first, services), tokens.token(second, services)]);
    first.cancellation.cancel(new ProxyError('clientGone'));
    expect(await given).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'token-1' }]);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.cancellation.reason).toBeUndefined();
  });

  test.each([
    ['a Secret that is not there', undefined],
    ['nothing in it', ' '],
    ['no JSON', 'key'],
    ['another kind of credentials', JSON.stringify({ ...ACCOUNT, type: 'external_account' })],
    ['a user without a refresh token', JSON.stringify({ ...ACCOUNT, type: 'authorized_user' })],
    ['a key that is none', JSON.stringify({ ...ACCOUNT, private_key: 'top secret' })],
    ['no address', JSON.stringify({ ...ACCOUNT, token_uri: '//' })],
  ])('does without a call, and without what the platform has, for %s', async (_, credentials) => {
    const exchange = exchangeWith(credentials);
    const { services, calls } = server();
    const token = cloudCTokens(field, ORIGIN, {}).token(exchange, services);
    await expect(token).rejects.toMatchObject({ code: 'backendAuthenticationFailed' });
    await expect(token).rejects.not.toThrow('top secret');
    expect(calls).toEqual([]);
  });

  test.each([
    [403, {}],
    [200, { access_token: 7 }],
  ])('takes an answer with status %i and %j for none', async (status, body) => {
    const exchange = exchangeWith(JSON.stringify(ACCOUNT));
    const { services } = server(status, body);
    await expect(cloudCTokens(field, ORIGIN, {}).token(exchange, services)).rejects.toMatchObject({
      code: 'backendAuthenticationFailed',
    });
  });
});

test('without credentials the platform is asked who the process is (GUARD-039)', async () => {
  const exchange = exchangeWith(undefined);
  const { services, calls } = server();
  const tokens = cloudCTokens({}, ORIGIN, { GCE_METADATA_HOST: '127.0.0.1:8111' });
  expect(await tokens.token(exchange, services)).toBe('token-1');
  expect(calls[0]?.endpoint).toEqual({ kind: 'tcp', host: '127.0.0.1', port: 8111 });
  expect(calls[0]?.dial.tls).toBeUndefined();
  expect(calls[0]?.request.headers.get('metadata-flavor')).toBe('Google');
  expect(calls[0]?.request.target).toMatch(/^\/computeMetadata\/v1\/instance\/service-accounts\/default\/token/);
});

describe('an ID token', () => {
  const ID_TOKEN = `e30.${Buffer.from(JSON.stringify({ exp: 4600 })).toString('base64url')}.sig`;

  test.each([
    ['of the host of the backend', { type: 'IdToken' as const }, 'https://backend.test'],
    ['that is configured', { type: 'IdToken' as const, audience: 'aud-1' }, 'aud-1'],
  ])('is asked for with the audience %s (BAUTH-028)', async (_, kind, audience) => {
    const { services, calls } = server(200, { id_token: ID_TOKEN });
    const field = { ...kind, secretRef: { name: 'account' } };
    const exchange = exchangeWith(JSON.stringify(ACCOUNT));
    expect(await cloudCTokens(field, ORIGIN, {}).token(exchange, services)).toBe(ID_TOKEN);
    const { bytes } = await readBody(calls[0]?.request.body, 10_000);
    const form = new URLSearchParams(Buffer.from(bytes).toString());
    expect(decodeJwt(form.get('assertion') ?? '')).toMatchObject({ target_audience: audience });
    expect(decodeJwt(form.get('assertion') ?? '')).not.toHaveProperty('scope');
  });

  test('is not replaced by an access token', async () => {
    const { services } = server();
    const field = { type: 'IdToken' as const, secretRef: { name: 'account' } };
    const token = cloudCTokens(field, ORIGIN, {}).token(exchangeWith(JSON.stringify(ACCOUNT)), services);
    await expect(token).rejects.toMatchObject({ code: 'backendAuthenticationFailed' });
  });
});

test('a user is asked for with the refresh token', async () => {
  const user = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };
  const { services, calls } = server();
  const field = { secretRef: { name: 'account' } };
  expect(await cloudCTokens(field, ORIGIN, {}).token(exchangeWith(JSON.stringify(user)), services)).toBe('token-1');
  const { bytes } = await readBody(calls[0]?.request.body, 10_000);
  expect(Buffer.from(bytes).toString()).toBe('grant_type=refresh_token&client_id=c&client_secret=s&refresh_token=r');
});
