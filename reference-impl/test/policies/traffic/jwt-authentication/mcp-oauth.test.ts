import { createServer, type IncomingHttpHeaders } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../backends/mcp/support/listen.ts';
import {
  type DataPlane,
  policy,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type Upstream,
} from '../../../support/data-plane.ts';

/*
 * MCPAUTH. Paths and documents are the reference's own (MCPAUTH-006): docs/decisions/mcp-oauth.md
 */

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const inline = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] });
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' };

let idp: Idp;
let upstream: Upstream;
beforeEach(async () => {
  [idp, upstream] = await Promise.all([startIdp(), startUpstream()]);
});
afterEach(async () => {
  await Promise.all([idp[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
});

describe('the protected resource', () => {
  test('without a provider clients are sent to the issuer', async () => {
    await using plane = await protect({});
    const { status, json, headers } = await get(plane, '/.well-known/oauth-protected-resource/mcp?x=1');
    expect([status, json]).toEqual([
      200,
      {
        resource: `http://127.0.0.1:${plane.port}/mcp`,
        authorization_servers: [idp.url],
        mcp_protocol_version: '2025-06-18',
        resource_type: 'mcp-server',
      },
    ]);
    expect(headers).toMatchObject(CORS);
    expect(upstream.received).toEqual([]);
  });

  test('configured members go before the others, in the words of the document', async () => {
    const resourceMetadata = {
      resource: 'https://own.test/mcp',
      scopesSupported: ['read'],
      bearer_methods_supported: ['header'],
    };
    await using plane = await protect({ provider: 'Idp2', resourceMetadata });
    const { json } = await get(plane, '/.well-known/oauth-protected-resource', { 'x-forwarded-proto': 'https' });
    expect(json).toMatchObject({
      resource: 'https://own.test/mcp',
      authorization_servers: [`https://127.0.0.1:${plane.port}`],
      scopes_supported: ['read'],
      bearer_methods_supported: ['header'],
    });
    const refused = await get(plane, '/mcp"x');
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer resource_metadata="https://own.test/.well-known/oauth-protected-resource/mcp%22x"',
    );
  });

  test.each([
    ['no token', {}],
    ['a bad token', { authorization: 'Bearer nonsense' }],
  ])('%s', async (_, headers) => {
    await using plane = await protect({});
    const refused = await get(plane, '/mcp', headers);
    expect([refused.status, refused.json]).toEqual([
      401,
      { error: 'unauthorized', error_description: 'JWT token required' },
    ]);
    expect(refused.headers['www-authenticate']).toBe(
      `Bearer resource_metadata="http://127.0.0.1:${plane.port}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(upstream.received).toEqual([]);
  });

  test('a good token passes, and stops at the proxy', async () => {
    await using plane = await protect({});
    expect((await get(plane, '/mcp', { authorization: `Bearer ${await good()}` })).status).toBe(200);
    expect(upstream.received[0]?.rawHeaders.join()).not.toContain('Bearer');
  });

  test('paths that only begin alike are the server’s', async () => {
    await using plane = await protect({});
    expect((await get(plane, '/.well-known/oauth-protected-resources')).status).toBe(401);
    expect((await get(plane, '/mcp/.well-known/oauth-authorization-server')).status).toBe(401);
  });
});

describe('the authorization server', () => {
  test.each([
    [undefined, '/.well-known/oauth-authorization-server/tenant', {}],
    [
      'Idp1',
      '/.well-known/oauth-authorization-server/tenant',
      { issuer: 'HERE/mcp', authorization_endpoint: 'IDP/authorize?audience=api' },
    ],
    [
      'Idp2',
      '/tenant/.well-known/openid-configuration',
      { issuer: 'HERE/mcp', registration_endpoint: 'SERVER/client-registration' },
    ],
    [
      'Idp3',
      '/tenant/.well-known/openid-configuration',
      {
        issuer: 'HERE/mcp',
        registration_endpoint: 'SERVER/client-registration',
        authorization_endpoint: 'IDP/authorize?audience=api',
      },
    ],
    [
      'Idp4',
      '/tenant/.well-known/openid-configuration',
      { issuer: 'HERE/mcp', registration_endpoint: 'SERVER/client-registration' },
    ],
    [
      'Idp5',
      '/tenant/.well-known/openid-configuration',
      { issuer: 'HERE/mcp', registration_endpoint: 'SERVER/client-registration' },
    ],
    [
      'Idp6',
      '/tenant/v2.0/.well-known/openid-configuration',
      {
        issuer: 'HERE/mcp',
        registration_endpoint: 'SERVER/client-registration',
        authorization_endpoint: 'SERVER/authorize',
        token_endpoint: 'SERVER/token',
        code_challenge_methods_supported: ['S256'],
      },
    ],
  ])('of %s', async (provider, asked, changes) => {
    await using plane = await protect(provider === undefined ? {} : { provider }, {
      issuer: `${idp.url}/tenant/`,
      audiences: ['api'],
    });
    const { status, json } = await get(plane, '/.well-known/oauth-authorization-server/mcp');
    const here = `http://127.0.0.1:${plane.port}`;
    const expected = JSON.stringify(changes)
      .replaceAll('SERVER', `${here}/.well-known/oauth-authorization-server/mcp`)
      .replaceAll('HERE', here)
      .replaceAll('IDP', idp.url);
    const members: unknown = JSON.parse(expected);
    expect([status, json]).toEqual([200, Object.assign({}, idp.metadata, members)]);
    expect(idp.seen.map(({ path }) => path)).toEqual([asked]);
  });

  test.each([
    ['says something else than metadata', '[1]', 200],
    ['fails', '{"issuer":"x"}', 500],
  ])('that %s', async (_, body, status) => {
    idp.answer = { status, body };
    await using plane = await protect({ provider: 'Idp2' });
    const refused = await get(plane, '/.well-known/oauth-authorization-server');
    expect([refused.status, refused.text]).toEqual([500, 'the identity provider has no answer']);
  });

  test('that is not there, or is no URL', async () => {
    for (const issuer of ['http://127.0.0.1:1', 'not a url']) {
      await using plane = await protect({ provider: 'Idp2' }, { issuer });
      expect((await get(plane, '/.well-known/oauth-authorization-server')).status).toBe(500);
    }
  });
});

describe('registration', () => {
  const BODY = JSON.stringify({ client_name: 'me', redirect_uris: ['http://localhost/cb'] });
  const PATH = '/.well-known/oauth-authorization-server/mcp/client-registration';

  test.each([
    ['Idp2', '', '/clients-registrations/openid-connect'],
    ['Idp3', '/oauth2/default', '/oauth2/v1/clients'],
    ['Idp4', '/v1/apps/agentic/p/s', '/v1/mgmt/mcp/client/p/s/register'],
  ])('goes to %s', async (provider, issuerPath, path) => {
    await using plane = await protect({ provider }, { issuer: idp.url + issuerPath });
    idp.answer = { status: 201, body: '{"client_id":"new"}' };
    const { status, json, headers } = await send(plane, PATH, BODY, { cookie: 'a=b', authorization: 'Bearer x' });
    expect([status, json]).toEqual([201, { client_id: 'new' }]);
    expect(headers).toMatchObject({ ...CORS, 'access-control-allow-methods': 'POST, OPTIONS' });
    expect(idp.seen).toMatchObject([{ method: 'POST', path, body: BODY }]);
    expect(idp.seen[0]?.headers).not.toHaveProperty('cookie');
    expect(idp.seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('the answer of the identity provider is passed on, whatever it is', async () => {
    await using plane = await protect({ provider: 'Idp2' });
    idp.answer = { status: 403, body: '{"error":"access_denied"}' };
    expect(await send(plane, PATH, BODY)).toMatchObject({ status: 403, json: { error: 'access_denied' } });
  });

  test.each(['Idp4', 'Idp5', 'Idp6'])('nobody registers at %s', async (provider) => {
    await using plane = await protect({ provider });
    expect((await send(plane, PATH, BODY)).status).toBe(500);
    expect(idp.seen).toEqual([]);
  });

  test('a client id that is known takes its place', async () => {
    await using plane = await protect({ clientId: 'ours' });
    const found = await get(plane, '/.well-known/oauth-authorization-server/mcp');
    expect(found.json).toMatchObject({ registration_endpoint: `http://127.0.0.1:${plane.port}${PATH}` });
    const asked = idp.seen.length;
    for (const [body, uris] of [
      [BODY, ['http://localhost/cb']],
      ['', []],
      ['[', []],
      ['{"redirect_uris":"x"}', []],
    ] as const) {
      expect(await send(plane, PATH, body)).toMatchObject({
        status: 201,
        json: { client_id: 'ours', client_id_issued_at: 0, token_endpoint_auth_method: 'none', redirect_uris: uris },
      });
    }
    expect(idp.seen).toHaveLength(asked);
  });

  test('other methods register nobody', async () => {
    await using plane = await protect({ provider: 'Idp2' });
    expect((await get(plane, PATH)).status).toBe(405);
    expect((await send(plane, PATH, '', {}, 'OPTIONS')).status).toBe(204);
    expect(idp.seen).toEqual([]);
  });

  test('beside the resource it takes a token', async () => {
    await using plane = await protect({ provider: 'Idp2' });
    expect((await send(plane, '/mcp/client-registration', BODY)).status).toBe(401);
    const authorization = `Bearer ${await good()}`;
    expect((await send(plane, '/mcp/client-registration', BODY, { authorization })).status).toBe(200);
    expect(idp.seen.map(({ path }) => path)).toEqual(['/clients-registrations/openid-connect']);
    expect(upstream.received).toEqual([]);
  });
});

test('a provider that refuses `resource` never gets it', async () => {
  await using plane = await protect({ provider: 'Idp6', clientId: 'ours' });
  const at = '/.well-known/oauth-authorization-server/mcp';
  const sent = await get(plane, `${at}/authorize?client_id=ours&resource=x&state=s`);
  expect([sent.status, sent.headers['location']]).toEqual([302, `${idp.url}/authorize?client_id=ours&state=s`]);
  await send(plane, `${at}/token`, 'grant_type=authorization_code&code=c&resource=x', { authorization: 'Basic eA==' });
  expect(idp.seen.at(-1)).toMatchObject({
    method: 'POST',
    path: '/token',
    body: 'grant_type=authorization_code&code=c',
  });
  expect(idp.seen.at(-1)?.headers).not.toHaveProperty('authorization');
  const refused = await get(plane, `${at}/token`);
  expect([refused.status, refused.headers['allow']]).toEqual([405, 'POST']);
});

function protect(mcp: object, more: object = {}): Promise<DataPlane> {
  const providers = [{ issuer: idp.url, jwks: { inline }, ...more }];
  return startDataPlane((port) => [
    ...simpleSetup(port, upstream.port),
    policy('HTTPRoute', { traffic: { jwtAuthentication: { providers, mcp } } }),
  ]);
}

function good(): Promise<string> {
  const token = new SignJWT({ sub: 'u' }).setProtectedHeader({ alg: 'EdDSA', kid: 'k' });
  return token.setIssuer(idp.url).setExpirationTime('1h').sign(privateKey);
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: unknown;
}

function get(plane: DataPlane, path: string, headers: Record<string, string> = {}): Promise<Got> {
  return fetched(plane, path, { headers });
}

function send(
  plane: DataPlane,
  path: string,
  body: string,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Got> {
  return fetched(plane, path, { method, headers, body });
}

async function fetched({ port }: DataPlane, path: string, init: RequestInit): Promise<Got> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, redirect: 'manual' });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const json: unknown = isJson ? JSON.parse(text) : undefined;
  return { status: response.status, headers: Object.fromEntries(response.headers), text, json };
}

interface Idp extends AsyncDisposable {
  readonly url: string;
  readonly metadata: object;
  readonly seen: readonly {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }[];
  /** Instead of its metadata. */
  answer: { readonly status: number; readonly body: string } | undefined;
}

async function startIdp(): Promise<Idp> {
  const seen: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      seen.push({ method, path: url, headers, body });
      const { status, body: text } = idpState.answer ?? { status: 200, body: JSON.stringify(idpState.metadata) };
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const metadata = {
    issuer: `${url}/own`,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    extra: [1],
  };
  const idpState: Idp = {
    url,
    metadata,
    seen,
    answer: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return idpState;
}
