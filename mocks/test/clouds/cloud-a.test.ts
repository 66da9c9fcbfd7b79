import { fromHttp, fromInstanceMetadata, fromTemporaryCredentials, fromWebToken } from '@aws-sdk/credential-providers';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Sha256 } from '../../cloud-a-signature.ts';
import { CONTAINER_TOKEN } from '../../cloud-a/container-credentials.ts';
import type { Mock } from '../../mock.ts';
import { start } from '../support/start.ts';
import { wallClock } from '../../wall-clock.ts';

const ROLE = 'arn:aws:iam::123456789012:role/reader';
const USER = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' };

afterEach(() => {
  vi.unstubAllEnvs();
});

function url({ host, port }: Mock): string {
  return `http://${host}:${port}`;
}

function clientConfig(mock: Mock): {
  endpoint: string;
  region: string;
  requestHandler: NodeHttpHandler;
  maxAttempts: number;
} {
  return { endpoint: url(mock), region: 'eu-west-1', requestHandler: new NodeHttpHandler(), maxAttempts: 1 };
}

function askedFor(sessionToken: string | undefined): unknown {
  return JSON.parse(Buffer.from(sessionToken ?? '', 'base64url').toString());
}

describe('the library of cloud A', () => {
  test('takes on a role, with session name and tags', async () => {
    const mock = await start({ kind: 'cloud-a' });
    const provider = fromTemporaryCredentials({
      masterCredentials: USER,
      params: { RoleArn: ROLE, RoleSessionName: 'me', Tags: [{ Key: 'team', Value: 'red' }] },
      clientConfig: clientConfig(mock),
    });
    const { sessionToken, expiration } = await provider();
    expect(askedFor(sessionToken)).toMatchObject({
      by: USER.accessKeyId,
      role: ROLE,
      session: 'me',
      tags: { team: 'red' },
    });
    expect(expiration?.getTime()).toBeGreaterThan(wallClock());
  });

  test.each([
    ['a wrong secret', { ...USER, secretAccessKey: 'wrong' }, ROLE],
    ['an unknown key', { ...USER, accessKeyId: 'AKIDOTHER' }, ROLE],
    ['a role that is nobody’s', USER, 'arn:aws:iam::123456789012:role/denied'],
    ['no role', USER, 'arn:aws:iam::1:user/reader'],
  ])('is refused with %s', async (_, masterCredentials, RoleArn) => {
    const mock = await start({ kind: 'cloud-a' });
    const params = { RoleArn, RoleSessionName: 'me' };
    const provider = fromTemporaryCredentials({ masterCredentials, params, clientConfig: clientConfig(mock) });
    await expect(provider()).rejects.toThrow();
  });

  test('shows a web identity', async () => {
    const mock = await start({ kind: 'cloud-a' });
    const provider = fromWebToken({
      roleArn: ROLE,
      roleSessionName: 'me',
      webIdentityToken: 'a.b.c',
      clientConfig: clientConfig(mock),
    });
    expect(askedFor((await provider()).sessionToken)).toEqual({ by: 'web-identity', role: ROLE, session: 'me' });
  });

  test('asks the container it runs in', async () => {
    const mock = await start({ kind: 'cloud-a' });
    const awsContainerCredentialsFullUri = `${url(mock)}/container/credentials`;
    const asks = (awsContainerAuthorizationToken: string): ReturnType<ReturnType<typeof fromHttp>> =>
      fromHttp({ awsContainerCredentialsFullUri, awsContainerAuthorizationToken, maxRetries: 0 })();
    expect(askedFor((await asks(CONTAINER_TOKEN)).sessionToken)).toEqual({ by: 'container' });
    await expect(asks('another')).rejects.toThrow();
  });

  test('asks the machine it runs on, in a session', async () => {
    const mock = await start({ kind: 'cloud-a' });
    vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', url(mock));
    const { sessionToken } = await fromInstanceMetadata({ maxRetries: 0, timeout: 2_000 })();
    expect(askedFor(sessionToken)).toEqual({ by: 'instance' });
  });

  test('signs with what it was lent, and the service sees that it did', async () => {
    const mock = await start({ kind: 'cloud-a', signed: 'lent', service: 'lambda', region: 'eu-west-1' });
    const params = { RoleArn: ROLE, RoleSessionName: 'me' };
    const credentials = fromTemporaryCredentials({ masterCredentials: USER, params, clientConfig: clientConfig(mock) });
    const ask = async (service: string): Promise<number> => {
      const signer = new SignatureV4({ credentials, region: 'eu-west-1', service, sha256: Sha256 });
      const host = `${mock.host}:${mock.port}`;
      const request = {
        method: 'GET',
        protocol: 'http:',
        hostname: mock.host,
        path: '/p',
        query: {},
        headers: { host },
      };
      const { headers } = await signer.sign(request);
      return (await fetch(`${url(mock)}/p`, { headers })).status;
    };
    expect(await ask('lambda')).toBe(200);
    expect(await ask('s3')).toBe(403);
    expect((await fetch(`${url(mock)}/p`)).status).toBe(403);
  });
});
