import type { HttpReply, ServeHttp } from '../http-exchange.ts';
import type { Mock, MockOptions } from '../mock.ts';
import { pathOf } from '../target.ts';
import { ANYWHERE, endpoints, tokenPath } from './endpoints.ts';
import type { Endpoint, Identity } from './endpoints.ts';
import { keySet, publishKeys } from './key-set.ts';
import { mintToken } from './mint-token.ts';
import { oidcLibrary } from './oidc-engine.ts';
import type { Library } from './oidc-engine.ts';
import type { IdpScript } from './script.ts';
import { withoutSecrets } from './token-ledger.ts';
import { tokenSpecSchema } from './token-spec.ts';

/** Starts an identity provider. Rejects when its port cannot be bound. */
export async function startIdpMock(script: IdpScript, options: MockOptions, serveHttp: ServeHttp): Promise<Mock> {
  const keys = await publishKeys(script.keys, options.name);
  const desk = Promise.withResolvers<Endpoint>();
  const { fault, tls } = script;
  const mock = await serveHttp({ kind: 'http', fault, tls }, options, async (request, arrived) =>
    atFault(await (await desk.promise)(request, arrived), fault),
  );
  const url = `${tls === undefined ? 'http' : 'https'}://${mock.host}:${mock.port}`;
  const { jwksPath = '/.well-known/jwks.json' } = script;
  const issuer = script.issuer?.startsWith('/') === true ? `${url}${script.issuer}` : (script.issuer ?? url);
  const identity: Identity = { issuer, jwksPath, url, keys, owner: options.name };
  const library = script.engine === undefined ? undefined : oidcLibrary(identity, script.clients ?? []);
  desk.resolve(dispatcher(script, identity, library));
  return {
    ...mock,
    kind: 'idp',
    ledger: withoutSecrets(mock.ledger, tokenPath(script), script.secrets ?? {}),
    stop: async () => {
      await Promise.all([mock.stop(), library?.stop()]);
    },
    variables: { issuer, jwksPath, jwks: keySet(keys) },
    mint: async (spec) => mintToken(tokenSpecSchema.parse(spec), identity),
  };
}

/** The fault of the peer stands in where a reply names none; the listener sees to connections that are refused. */
function atFault(reply: HttpReply, fault: IdpScript['fault']): HttpReply {
  return fault === undefined || fault === 'refuse' ? reply : { fault, ...reply };
}

/** Our own endpoints; a library has every path but that of the key set. */
function dispatcher(script: IdpScript, identity: Identity, library: Library | undefined): Endpoint {
  const all = endpoints(script, identity);
  const keySets = `GET ${identity.jwksPath}`;
  return (request, arrived) => {
    const place = `${request.method} ${pathOf(request.target)}`;
    if (library !== undefined && place !== keySets) return library.endpoint(request, arrived);
    const anywhere = request.method === 'POST' ? all.get(ANYWHERE) : undefined;
    return (all.get(place) ?? anywhere ?? notFound)(request, arrived);
  };
}

function notFound(): HttpReply {
  return { status: 404, body: 'no such endpoint' };
}
