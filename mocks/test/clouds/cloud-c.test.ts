import { decodeJwt } from 'jose';
import { Compute, gaxios, GoogleAuth } from 'google-auth-library';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Mock } from '../../mock.ts';
import { start } from '../support/start.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const json = z.record(z.string(), z.json());

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the library of cloud C', () => {
  test('gets access tokens and ID tokens for an account', async () => {
    const mock = await start({ kind: 'cloud-c', account: 'me' });
    const credentials = json.parse(JSON.parse(String(mock.variables?.['credentials'])));
    const auth = new GoogleAuth({ credentials, scopes: SCOPE, clientOptions: { transporter: transporterTo(mock) } });
    expect(await auth.getAccessToken()).toBe(`by-account~me~${SCOPE}`);
    const client = await auth.getIdTokenClient('audience-1');
    const headers = await client.getRequestHeaders();
    const [, token = ''] = (headers.get('authorization') ?? '').split(' ');
    expect(decodeJwt(token)).toMatchObject({ aud: 'audience-1', sub: 'me' });
  });

  test('gets access tokens for a user', async () => {
    const mock = await start({ kind: 'cloud-c', account: 'me' });
    const credentials = json.parse(JSON.parse(String(mock.variables?.['userCredentials'])));
    const get = async (over: Readonly<Record<string, string>>): Promise<unknown> =>
      new GoogleAuth({
        credentials: { ...credentials, ...over },
        scopes: SCOPE,
        clientOptions: { transporter: transporterTo(mock) },
      }).getAccessToken();
    expect(await get({})).toBe('by-user~me');
    await expect(get({ client_secret: 'wrong' })).rejects.toThrow('invalid_grant');
  });

  test('gets access tokens and ID tokens of its platform', async () => {
    const { host, port } = await start({ kind: 'cloud-c' });
    vi.stubEnv('GCE_METADATA_HOST', `${host}:${port}`);
    const compute = new Compute();
    expect((await compute.getAccessToken()).token).toBe('token-of-the-platform');
    expect(decodeJwt(await compute.fetchIdToken('audience-1'))).toMatchObject({ aud: 'audience-1', sub: 'platform' });
  });
});

/** The library asks one address for all accounts; here that is the mock. */
function transporterTo({ host, port }: Mock): gaxios.Gaxios {
  return new gaxios.Gaxios({
    retry: false,
    fetchImplementation: async (_, init) => fetch(`http://${host}:${port}/token`, init),
  });
}
