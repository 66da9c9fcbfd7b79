import { generateKeyPairSync } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  get,
  policy,
  simpleSetup,
  startDataPlane,
  startTcp,
  startUpstream,
  type Upstream,
} from '../support/data-plane.ts';
import { freePort } from '../support/process.ts';
import { manualClock } from '../trace/manual-clock.ts';

/*
 * Those who lend credentials, and all that may go wrong with them. A request goes through a running data plane whose clock stands still
 * unless the test moves it; whatever the lender does, the upstream sees the lent credential or no request at all.
 */

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

interface Way {
  readonly auth: object;
  /** Of the one Secret. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The body of a good answer; `name` is what the lent credential is called. */
  readonly answer?: (name: string) => string;
  /** What the upstream sees of it. */
  readonly seen?: (name: string) => readonly [header: string, value: string];
}

const TOKENS = { group: 'proxy.example', kind: 'ProxyBackend', name: 'tokens' };
/** The server of the other step, which does as it should. */
const PARTNER = { ...TOKENS, name: 'partner' };
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const KEYS = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 's' };
const CLIENT = { clientID: 'c', tenantID: 't', clientSecret: 's' };

/** Who lends, by mechanism. */
const WAYS: Readonly<Record<string, (port: number) => Way>> = {
  'the token service of cloud A': (port) => ({
    auth: {
      cloudA: {
        serviceName: 'execute-api',
        region: 'us-east-1',
        assumeRole: { roleArn: 'arn:aws:iam::123456789012:role/r', sessionName: 'proxy' },
      },
    },
    environment: { ...KEYS, AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${port}` },
    answer: (name) =>
      `<AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>${name}</SessionToken>` +
      '<Expiration>1970-01-01T01:00:00Z</Expiration>',
    seen: (name) => ['x-amz-security-token', name],
  }),
  'the directory of cloud B': (port) => ({
    auth: { cloudB: { secretRef: { name: 's' } } },
    texts: CLIENT,
    environment: { AZURE_AUTHORITY_HOST: `http://127.0.0.1:${port}` },
  }),
  'the identities of cloud B': (port) => ({
    auth: { cloudB: { managedIdentity: { clientId: 'i', objectId: 'i', resourceId: 'i' } } },
    environment: { IDENTITY_ENDPOINT: `http://127.0.0.1:${port}/msi`, IDENTITY_HEADER: 'h' },
  }),
  'the token server of cloud C': (port) => ({
    auth: { cloudC: { type: 'AccessToken', secretRef: { name: 's' } } },
    texts: {
      'credentials.json': JSON.stringify({
        type: 'service_account',
        client_email: 'me@project.test',
        private_key: privateKey,
        token_uri: `http://127.0.0.1:${port}/token`,
      }),
    },
  }),
  'the platform of cloud C': (port) => ({
    auth: { cloudC: { type: 'AccessToken' } },
    environment: { GCE_METADATA_HOST: `127.0.0.1:${port}` },
  }),
  'the ID tokens of the platform': (port) => ({
    auth: { cloudC: { type: 'IdToken', audience: 'a' } },
    environment: { GCE_METADATA_HOST: `127.0.0.1:${port}` },
    answer: idTokenOf,
    seen: (name) => ['authorization', `Bearer ${idTokenOf(name)}`],
  }),
  'a token endpoint': () => ({ auth: { oauthTokenExchange: { backendRef: TOKENS } } }),
  'the identity provider of a client': () => ({
    auth: acrossApplications(TOKENS, PARTNER),
    answer: assertionOf,
    seen: (name) => ['authorization', `Bearer for-${name}`],
  }),
  'the authorization server of a resource': () => ({ auth: acrossApplications(PARTNER, TOKENS) }),
};

function acrossApplications(first: typeof TOKENS, second: typeof TOKENS): object {
  const clientAuth = { clientId: 'c', method: 'ClientSecretPost' };
  return {
    crossAppAccess: {
      identityProvider: { backendRef: first, clientAuth },
      resourceAuthorizationServer: { backendRef: second, clientAuth },
      audience: 'a',
    },
  };
}

function assertionOf(name: string): string {
  return JSON.stringify({ access_token: name, token_type: 'N_A', issued_token_type: ID_JAG, expires_in: 3600 });
}

let partner: Upstream;

beforeAll(async () => {
  partner = await startUpstream((_, response) => {
    const assertion = new URLSearchParams(partner.received.at(-1)?.body).get('assertion');
    response.end(assertion === null ? assertionOf('of-the-partner') : usualAnswer(`for-${assertion}`));
  });
});

afterAll(async () => partner[Symbol.asyncDispose]());

function idTokenOf(name: string): string {
  return `e30.${Buffer.from(JSON.stringify({ exp: 3600, name })).toString('base64url')}.sig`;
}

const CLIENT_TOKEN = 'of-the-client';
const HEADERS = ['Host: example.test', `Authorization: Bearer ${CLIENT_TOKEN}`];

/** What a lender does with a connection when it has read something. */
const FAULTS: Readonly<Record<string, (socket: Socket, elsewhere: number) => void>> = {
  'resets the connection': (socket) => void socket.resetAndDestroy(),
  'ends the connection': (socket) => void socket.end(),
  'speaks no HTTP': (socket) => void socket.end('\u0000\u0001 this is no answer\r\n\r\n'),
  'breaks off in its answer': (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"access_'),
  'says nothing in its answer': (socket) => void socket.end(http('200 OK', '')),
  'answers with no JSON': (socket) => void socket.end(http('200 OK', '<html>hello')),
  'answers with another JSON': (socket) => void socket.end(http('200 OK', '{"access_token":{"a":1},"expires_in":"x"}')),
  'answers without end': (socket) => void socket.end(http('200 OK', 'x'.repeat(100_000))),
  fails: (socket) => void socket.end(http('503 Unavailable', '{"access_token":"not-this-one","token_type":"Bearer"}')),
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `sends elsewhere with ${status}`,
      (socket: Socket, elsewhere: number) =>
        void socket.end(http(`${status} Elsewhere`, '', [`location: http://127.0.0.1:${elsewhere}/token`])),
    ]),
  ),
};

function http(status: string, body: string, headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, 'connection: close', `content-length: ${Buffer.byteLength(body)}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(Object.keys(WAYS))('%s', (name) => {
  test.each(Object.keys(FAULTS))('%s: the request is not sent, and nobody else is asked', async (fault) => {
    await using elsewhere = await startUpstream((_, response) => response.end(goodBody(wayOf(name, 0), 'elsewhere')));
    await using lender = await startTcp((socket) => {
      socket.once('data', () => FAULTS[fault]?.(socket, elsewhere.port));
    });
    await using up = await startUpstream();
    await using proxy = await startProxy(wayOf(name, lender.port), lender.port, up.port);
    expect(await get(proxy.port, '/', HEADERS)).toMatch(/^HTTP\/1\.1 500 /);
    expect(up.received).toEqual([]);
    expect(elsewhere.received).toEqual([]);
  });

  test('is not there: the request is not sent', async () => {
    const port = await freePort();
    await using up = await startUpstream();
    await using proxy = await startProxy(wayOf(name, port), port, up.port);
    expect(await get(proxy.port, '/', HEADERS)).toMatch(/^HTTP\/1\.1 500 /);
    expect(up.received).toEqual([]);
  });

  test('fails once: the next request asks again', async () => {
    let fails = true;
    await using lender = await startUpstream((_, response) => {
      if (fails) response.writeHead(503).end();
      else response.end(goodBody(wayOf(name, 0), 'lent'));
    });
    await using up = await startUpstream();
    await using proxy = await startProxy(wayOf(name, lender.port), lender.port, up.port);
    expect(await get(proxy.port, '/', HEADERS)).toMatch(/^HTTP\/1\.1 500 /);
    fails = false;
    expect(await get(proxy.port, '/', HEADERS)).toMatch(/^HTTP\/1\.1 200 /);
    expect(credentialsSeen(up, wayOf(name, 0))).toEqual([seenOf(wayOf(name, 0), 'lent')]);
  });

  test('hangs: the request ends when its patience does', async () => {
    const clock = manualClock();
    const asked = Promise.withResolvers<void>();
    await using lender = await startTcp((socket) => socket.once('data', asked.resolve));
    await using up = await startUpstream();
    await using proxy = await startProxy(wayOf(name, lender.port), lender.port, up.port, clock);
    const answer = get(proxy.port, '/', HEADERS);
    await asked.promise;
    clock.advance(10_000);
    expect(await answer).toMatch(/^HTTP\/1\.1 500 /);
    expect(up.received).toEqual([]);
  });

  test('is late: its credential is waited for', async () => {
    const clock = manualClock();
    const asked = Promise.withResolvers<() => void>();
    await using lender = await startUpstream((_, response) => {
      asked.resolve(() => void response.end(goodBody(wayOf(name, 0), 'late')));
    });
    await using up = await startUpstream();
    await using proxy = await startProxy(wayOf(name, lender.port), lender.port, up.port, clock);
    const answer = get(proxy.port, '/', HEADERS);
    const give = await asked.promise;
    clock.advance(4_900);
    give();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(credentialsSeen(up, wayOf(name, 0))).toEqual([seenOf(wayOf(name, 0), 'late')]);
  });

  test('lends for an hour: what is over, or nearly so, is not used again, also when nothing else can be had', async () => {
    const clock = manualClock();
    let number = 0;
    let fails = false;
    await using lender = await startUpstream((_, response) => {
      number += 1;
      if (fails) response.writeHead(503).end();
      else response.end(goodBody(wayOf(name, 0), `lent-${number}`));
    });
    await using up = await startUpstream();
    await using proxy = await startProxy(wayOf(name, lender.port), lender.port, up.port, clock);
    const status = async (): Promise<string> => (await get(proxy.port, '/', HEADERS)).slice(9, 12);
    expect(await status()).toBe('200');
    clock.advance(3_500_000);
    expect(await status()).toBe('200');
    clock.advance(90_000);
    fails = true;
    expect(await status()).toBe('500');
    const way = wayOf(name, 0);
    expect(credentialsSeen(up, way)).toEqual([seenOf(way, 'lent-1'), seenOf(way, 'lent-1')]);
    expect(number).toBe(2);
  });
});

function wayOf(name: string, port: number): Way {
  const way = WAYS[name];
  if (way === undefined) throw new Error(`nobody lends as ${name}`);
  return way(port);
}

function goodBody({ answer = usualAnswer }: Way, name: string): string {
  return answer(name);
}

function usualAnswer(name: string): string {
  return JSON.stringify({ access_token: name, token_type: 'Bearer', expires_in: 3600 });
}

function seenOf({ seen = (name) => ['authorization', `Bearer ${name}`] }: Way, name: string): string {
  return seen(name)[1];
}

function credentialsSeen(
  { received }: { readonly received: readonly { readonly rawHeaders: readonly string[] }[] },
  { seen = () => ['authorization', ''] }: Way,
): readonly (string | undefined)[] {
  const [header] = seen('');
  return received.map(
    ({ rawHeaders }) => rawHeaders[rawHeaders.findIndex((text) => text.toLowerCase() === header) + 1],
  );
}

function startProxy(
  { auth, texts = {}, environment = {} }: Way,
  lender: number,
  upstream: number,
  clock = manualClock(),
): ReturnType<typeof startDataPlane> {
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
  return startDataPlane(
    (port) => [
      ...simpleSetup(port, upstream),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: texts },
      {
        apiVersion: 'proxy.example/v1alpha1',
        kind: 'ProxyBackend',
        metadata: { name: 'tokens' },
        spec: { static: { host: '127.0.0.1', port: lender } },
      },
      {
        apiVersion: 'proxy.example/v1alpha1',
        kind: 'ProxyBackend',
        metadata: { name: 'partner' },
        spec: { static: { host: '127.0.0.1', port: partner.port } },
      },
      policy('ProxyBackend', { backend: { auth } }),
    ],
    { clock },
  );
}
