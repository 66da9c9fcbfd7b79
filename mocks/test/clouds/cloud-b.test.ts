import { rootCertificates, setDefaultCACertificates } from 'node:tls';
import { ClientAssertionCredential, ClientSecretCredential, ManagedIdentityCredential } from '@azure/identity';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { IDENTITY_HEADER } from '../../cloud-b/lending.ts';
import type { Mock } from '../../mock.ts';
import { suiteCertificates } from '../../tls/suite.ts';
import { start } from '../support/start.ts';

const SCOPE = 'https://cognitiveservices.azure.com/.default';
const TENANT = '00000000-0000-0000-0000-000000000001';

// The library wants a directory with TLS, and takes the roots of the process.
beforeAll(() => setDefaultCACertificates([...rootCertificates, suiteCertificates().ca]));
afterAll(() => setDefaultCACertificates([...rootCertificates]));
afterEach(() => {
  vi.unstubAllEnvs();
});

function options({ port }: Mock): {
  authorityHost: string;
  disableInstanceDiscovery: true;
  retryOptions: { maxRetries: 0 };
} {
  return {
    authorityHost: `https://localhost:${port}`,
    disableInstanceDiscovery: true,
    retryOptions: { maxRetries: 0 },
  };
}

describe('the library of cloud B', () => {
  test('gets a token for a client with its secret', async () => {
    const mock = await start({ kind: 'cloud-b', tls: true });
    const credential = new ClientSecretCredential(TENANT, 'client-1', 'secret-of-client-1', options(mock));
    const { token, expiresOnTimestamp } = await credential.getToken(SCOPE);
    expect(token).toMatch(`by-secret~client-1~${TENANT}~https://cognitiveservices.azure.com/.default`);
    expect(expiresOnTimestamp).toBeGreaterThan(0);
    const wrong = new ClientSecretCredential(TENANT, 'client-1', 'wrong', options(mock));
    await expect(wrong.getToken(SCOPE)).rejects.toThrow('invalid_client');
  });

  test('gets a token for a client for whom somebody vouches', async () => {
    const mock = await start({ kind: 'cloud-b', tls: true });
    const credential = new ClientAssertionCredential(TENANT, 'client-1', vouch, options(mock));
    expect((await credential.getToken(SCOPE)).token).toMatch(`by-assertion~client-1~${TENANT}~`);
  });

  test('gets a token for a managed identity, the usual one or one by its name', async () => {
    // The library looks for the endpoint once in the life of a process.
    const mock = await start({ kind: 'cloud-b' });
    vi.stubEnv('IDENTITY_ENDPOINT', `http://${mock.host}:${mock.port}/msi/token`);
    vi.stubEnv('IDENTITY_HEADER', IDENTITY_HEADER);
    const retryOptions = { maxRetries: 0 };
    const usual = await new ManagedIdentityCredential({ retryOptions }).getToken(SCOPE);
    expect(usual.token).toBe('by-identity~system~https://cognitiveservices.azure.com');
    const named = await new ManagedIdentityCredential({ clientId: 'identity-1', retryOptions }).getToken(SCOPE);
    expect(named.token).toBe('by-identity~identity-1~https://cognitiveservices.azure.com');
  });
});

test('the endpoint of a machine wants its mark, one identity, and a resource', async () => {
  const { host, port } = await start({ kind: 'cloud-b' });
  const ask = async (query: string, headers: Record<string, string> = { metadata: 'true' }): Promise<Response> =>
    fetch(`http://${host}:${port}/metadata/identity/oauth2/token?api-version=2018-02-01${query}`, { headers });
  expect(await (await ask('&resource=r&client_id=i')).json()).toMatchObject({
    access_token: 'by-identity~i~r',
    expires_in: '3599',
  });
  expect((await ask('&resource=r', {})).status).toBe(400);
  expect((await ask('')).status).toBe(400);
  expect((await ask('&resource=r&client_id=i&object_id=o')).status).toBe(400);
});

async function vouch(): Promise<string> {
  return 'a.b.c';
}
