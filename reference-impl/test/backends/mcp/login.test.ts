import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { policy, startDataPlane } from '../../support/data-plane.ts';
import { listen } from './support/listen.ts';
import { type McpPeer, startMcpServer } from './support/mcp-server.ts';
import { gateway, mcpSetup, target } from './support/setup.ts';

/*
 * A whole login: the OAuth client of the protocol's own library finds its way from the refusal to a token of oidc-provider
 * (authorization code with PKCE), and then calls a tool. MCPAUTH-001, MCPAUTH-002, MCPAUTH-008, MCPAUTH-012
 */

describe('a login from nothing', () => {
  test('jwtAuthentication.mcp: the client registers through the proxy', async () => {
    await using idp = await startIdp();
    await using server = await startMcpServer({ serve });
    await using plane = await startDataPlane((port) => [
      ...mcpSetup(port, { targets: [target('a', server.port)] }),
      backend('idp', idp.port),
      policy('HTTPRoute', {
        traffic: {
          jwtAuthentication: {
            providers: [{ issuer: idp.url, audiences: [gateway(port).href], jwks: { remote: keysOf('idp') } }],
            mcp: { provider: 'Idp2', resourceMetadata: { scopesSupported: ['mcp'] } },
          },
        },
      }),
    ]);
    const browser = new Browser();
    expect(await echoAfterLogin(gateway(plane.port), browser)).toMatchObject({
      content: [{ type: 'text', text: 'hi' }],
    });
    expect(idp.registered).toHaveLength(1);
    expect(idp.tokenForms).toMatchObject([{ grant_type: 'authorization_code', resource: gateway(plane.port).href }]);
    expect(idp.tokenForms[0]).toHaveProperty('code_verifier');
    expectNoToken(server);
  });

  test('mcp.authentication: the proxy adds the secret of a client that is known, and no client sees it', async () => {
    await using idp = await startIdp({
      client_id: 'ours',
      client_secret: SECRET,
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_post',
    });
    await using server = await startMcpServer({ serve });
    await using plane = await startDataPlane((port) => [
      ...mcpSetup(
        port,
        { targets: [target('a', server.port)] },
        {
          mcp: {
            authentication: {
              issuer: idp.url,
              audiences: [gateway(port).href],
              jwks: keysOf('idp'),
              provider: 'Idp2',
              resourceMetadata: { scopesSupported: ['mcp'] },
              clientId: 'ours',
              clientSecretRef: { name: 'oauth' },
            },
          },
        },
      ),
      backend('idp', idp.port),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'oauth' },
        stringData: { clientSecret: SECRET, other: 'wrong' },
      },
    ]);
    const browser = new Browser();
    expect(await echoAfterLogin(gateway(plane.port), browser)).toMatchObject({
      content: [{ type: 'text', text: 'hi' }],
    });
    expect(idp.registered).toEqual([]);
    expect(idp.tokenForms).toMatchObject([{ client_id: 'ours', client_secret: SECRET }]);
    expect(JSON.stringify([browser.client, browser.seen])).not.toContain(SECRET);
    expectNoToken(server);
  });
});

const SECRET = 'only-the-proxy-knows';
const CALLBACK = 'http://127.0.0.1:9/callback';

function keysOf(name: string): object {
  return { jwksPath: '/jwks', backendRef: { group: 'proxy.example', kind: 'ProxyBackend', name } };
}

function backend(name: string, port: number): object {
  const spec = { static: { host: '127.0.0.1', port } };
  return { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyBackend', metadata: { name }, spec };
}

function serve(server: Parameters<Parameters<typeof startMcpServer>[0]['serve']>[0]): void {
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
}

function expectNoToken({ seen }: McpPeer): void {
  expect(seen.map(({ headers }) => headers.authorization)).toEqual(seen.map(() => undefined));
}

/** Fails to connect, logs in and calls the tool. */
async function echoAfterLogin(url: URL, browser: Browser): Promise<unknown> {
  const before = new StreamableHTTPClientTransport(url, { authProvider: browser, fetch: browser.fetch });
  await expect(new Client({ name: 'test', version: '1' }).connect(before)).rejects.toThrow(UnauthorizedError);
  await before.finishAuth(await browser.logIn());
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: browser, fetch: browser.fetch }));
  try {
    return await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
  } finally {
    await client.close();
  }
}

/** What keeps a client's credentials, and a browser that agrees to everything. */
class Browser implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: 'test',
    redirect_uris: [CALLBACK],
    application_type: 'native',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  /** Every answer the client was given. */
  readonly seen: string[] = [];
  client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  #place: URL | undefined;

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.client;
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.client = client;
  }
  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }
  redirectToAuthorization(place: URL): void {
    this.#place = place;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }

  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    if (response.headers.get('content-type')?.startsWith('application/json') === true)
      this.seen.push(await response.clone().text());
    return response;
  };

  /** Follows every redirection up to the callback, and returns the code. */
  async logIn(): Promise<string> {
    const cookies = new Map<string, string>();
    let place = this.#place;
    for (let steps = 0; place !== undefined && steps < 20; steps += 1) {
      if (place.href.startsWith(CALLBACK)) return place.searchParams.get('code') ?? place.href;
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response: Response = await fetch(place, { headers: { cookie }, redirect: 'manual' });
      for (const set of response.headers.getSetCookie()) {
        const [name = '', value = ''] = set.split(';')[0]?.split(/=(.*)/s) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`no way on from ${place.href}: ${await response.text()}`);
      place = new URL(location, place);
    }
    throw new Error('the login does not end');
  }
}

interface Idp extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly registered: readonly unknown[];
  readonly tokenForms: readonly Readonly<Record<string, string>>[];
}

/** oidc-provider with a user who is asked nothing. */
async function startIdp(...clients: readonly object[]): Promise<Idp> {
  const registered: unknown[] = [];
  const tokenForms: Record<string, string>[] = [];
  const server = createServer();
  const port = await listen(server);
  const url = `http://127.0.0.1:${port}`;
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const provider = new Provider(url, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k', alg: 'ES256', use: 'sig' }] },
    clients: clients.map((client) => ({
      grant_types: ['authorization_code'],
      response_types: ['code'],
      application_type: 'native',
      id_token_signed_response_alg: 'ES256',
      ...client,
    })),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: ['test'] },
    scopes: ['openid', 'mcp'],
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    routes: { registration: '/clients-registrations/openid-connect' },
    ttl: { AccessToken: 300, Grant: 300, Session: 300, Interaction: 300, IdToken: 300, AuthorizationCode: 60 },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, audience: string) => ({
          audience,
          scope: 'mcp',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
  provider.on('registration_create.success', (_: unknown, client: unknown) => void registered.push(client));
  provider.on(
    'grant.success',
    ({ oidc }: { oidc: { body: Record<string, string> } }) => void tokenForms.push({ ...oidc.body }),
  );
  const callback = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) {
      callback(request, response);
      return;
    }
    agree(provider, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return {
    port,
    url,
    registered,
    tokenForms,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The user logs in, and agrees. */
async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'user' } });
    return;
  }
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: params['client_id'] ?? '' });
  grant.addOIDCScope('openid mcp');
  grant.addResourceScope(params['resource'] ?? '', 'mcp');
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}
