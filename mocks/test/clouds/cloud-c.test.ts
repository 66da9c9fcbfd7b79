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

  test('finds out that it runs on its platform', async () => {
    const { host, port } = await start({ kind: 'cloud-c' });
    vi.stubEnv('GCE_METADATA_HOST', `${host}:${port}`);
    expect(await new GoogleAuth({ scopes: SCOPE }).getAccessToken()).toBe('token-of-the-platform');
  });

  // google-auth for Python asks for these before it asks for a token.
  test.each([
    ['/', ''],
    ['/computeMetadata/v1/instance/service-accounts/default/?recursive=true', 'platform@project-1.example'],
    ['/computeMetadata/v1/instance/service-accounts/default/email', 'platform@project-1.example'],
    ['/computeMetadata/v1/project/project-id', 'project-1'],
  ])('is told at %s', async (target, part) => {
    const { host, port } = await start({ kind: 'cloud-c' });
    const url = `http://${host}:${port}${target}`;
    const answer = await fetch(url, { headers: { 'metadata-flavor': 'Google' } });
    expect([answer.status, answer.headers.get('metadata-flavor')]).toEqual([200, 'Google']);
    expect(await answer.text()).toContain(part);
    expect((await fetch(url)).headers.get('metadata-flavor')).toBe(target === '/' ? null : 'Google');
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
