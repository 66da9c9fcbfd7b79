import { createServer, request as send } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { listen } from '../listen.ts';
import type { Bound } from '../listen.ts';
import type { Endpoint, Identity } from './endpoints.ts';
import { keyPair } from './key-pair.ts';
import { memoryAdapter } from './oidc-memory.ts';
import type { Client } from './client.ts';

/** An endpoint that the library serves, and the way to end what stands behind it. */
export interface Library {
  readonly endpoint: Endpoint;
  readonly stop: () => Promise<void>;
}

/** Discovery, tokens (client_credentials) and registration by `oidc-provider`, which signs with the keys of the mock. */
export function oidcLibrary(identity: Identity, clients: readonly Client[]): Library {
  // The library wants connections of its own, so it listens behind the mock, which passes requests on.
  let behind: Promise<Bound> | undefined;
  const start = async (): Promise<Bound> =>
    listen(createServer(await listener(identity, clients)), { host: '127.0.0.1' });
  return {
    endpoint: async (request, arrived) => {
      await arrived;
      behind ??= start();
      return relay(request, (await behind).port, identity.url);
    },
    stop: async () => (await behind)?.close(),
  };
}

async function listener(
  { issuer, jwksPath, keys, owner }: Identity,
  clients: readonly Client[],
): Promise<RequestListener> {
  const jwks = await Promise.all(
    keys.map(async ({ kid, alg }) => {
      const { privateKey } = await keyPair(owner, kid, alg);
      return { ...privateKey.export({ format: 'jwk' }), kid, alg, use: 'sig' };
    }),
  );
  // Loaded when a script asks for it: no other case should pay for a web framework.
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    adapter: memoryAdapter(),
    jwks: { keys: jwks },
    routes: { jwks: jwksPath },
    ttl: { ClientCredentials: 300 },
    cookies: { keys: ['a mock has no secrets'] },
    clientDefaults: { id_token_signed_response_alg: keys[0]?.alg },
    clients: clients.map(machineClient),
    features: {
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:api',
        getResourceServerInfo: resourceServer(keys),
      },
    },
  });
  provider.proxy = true;
  return provider.callback();
}

function machineClient({ id, secret }: Client): object {
  return {
    client_id: id,
    client_secret: secret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    ...(secret === undefined ? { token_endpoint_auth_method: 'none' } : {}),
  };
}

/** Access tokens are signed, with the audience that was asked for. */
function resourceServer(keys: Identity['keys']): (context: unknown, resource: string) => object {
  return (_, audience) => ({
    audience,
    scope: '',
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: keys[0]?.alg, kid: keys[0]?.kid } },
  });
}

function relay(request: HttpRequest, port: number, url: string): Promise<HttpReply> {
  const { protocol, host } = new URL(url);
  const headers = { ...sentHeaders(request), host, 'x-forwarded-proto': protocol.slice(0, -1) };
  return new Promise((resolve, reject) => {
    const outgoing = send({ host: '127.0.0.1', port, method: request.method, path: request.target, headers });
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
      collect(incoming).then(resolve, reject);
    });
    outgoing.end(request.body);
  });
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

function sentHeaders({ headers, body }: HttpRequest): Record<string, string> {
  const kept = headers.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()));
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), value])),
    'content-length': String(body.length),
  };
}

async function collect(incoming: IncomingMessage): Promise<HttpReply> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || HOP_BY_HOP.has(name) ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return {
    status: incoming.statusCode ?? 500,
    headers: Object.fromEntries(headers),
    body: { base64: Buffer.concat(chunks).toString('base64') },
  };
}
