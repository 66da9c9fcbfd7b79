import { randomUUID } from 'node:crypto';
import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { parseJsonObject } from '../json.ts';
import { replyAt } from '../lanes.ts';
import { editDocument, oauthError, replyWith } from './document.ts';
import { keySet } from './key-set.ts';
import type { PublishedKey } from './key-set.ts';
import type { Signer } from './mint-token.ts';
import type { IdpScript } from './script.ts';
import { timeWord } from './time-words.ts';
import { GRANTS } from './grants.ts';
import { tokenEndpoint } from './token-endpoint.ts';
import { METHODS } from './client-methods.ts';
import type { Client } from './client.ts';

/** What the endpoints speak for. */
export interface Identity extends Signer {
  readonly keys: readonly PublishedKey[];
  /** Where the mock listens, without a slash at the end. */
  readonly url: string;
  readonly jwksPath: string;
}

/** Answers one request; `arrived` is true when its body has come. Rejects when the script names a key that is not there. */
export type Endpoint = (request: HttpRequest, arrived: Promise<boolean>) => HttpReply | Promise<HttpReply>;

/** The endpoints of the mock by `METHOD path`. */
export function endpoints(script: IdpScript, identity: Identity): ReadonlyMap<string, Endpoint> {
  const clients: Client[] | undefined = script.clients === undefined ? undefined : [...script.clients];
  const { issuer, url, owner } = identity;
  const token = tokenEndpoint(script.token, {
    clients,
    audiences: [issuer, `${url}${tokenPath(script)}`],
    used: new Set(),
    issuer,
    owners: [owner, ...(script.trust ?? [])],
    opaque: script.opaque,
    signer: identity,
  });
  const registration = afterBody((request) => register(request, clients, script));
  return new Map<string, Endpoint>([
    [`GET ${identity.jwksPath}`, keySets(script, identity)],
    ['GET /.well-known/openid-configuration', () => discovery(script, identity)],
    ['GET /.well-known/oauth-authorization-server', () => discovery(script, identity)],
    [`POST ${tokenPath(script)}`, afterBody(token)],
    [`POST ${REGISTRATION_PATH}`, registration],
    ...(script.registersAnywhere === true ? [[ANYWHERE, registration] as const] : []),
  ]);
}

/** Where the token endpoint is. */
export function tokenPath({ tokenPath: path = '/token' }: IdpScript): string {
  return path;
}

const REGISTRATION_PATH = '/register';

/** The endpoint for whatever is posted elsewhere. */
export const ANYWHERE = 'POST *';

/** One entry of the script per fetch; the last repeats. */
function keySets({ jwks = [{}] }: IdpScript, { keys }: Identity): Endpoint {
  let fetches = 0;
  return () => {
    const script = replyAt(jwks, fetches);
    fetches += 1;
    return replyWith(keySet(keys, script.keys, script.pad), script);
  };
}

/** RFC 8414, and what OpenID Connect adds. */
function discovery(all: IdpScript, { issuer, url, jwksPath, keys }: Identity): HttpReply {
  const { discovery: script } = all;
  const document = {
    issuer,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}${tokenPath(all)}`,
    registration_endpoint: `${url}${REGISTRATION_PATH}`,
    jwks_uri: `${url}${jwksPath}`,
    grant_types_supported: Object.keys(GRANTS),
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    token_endpoint_auth_methods_supported: METHODS,
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))],
  };
  return replyWith(JSON.stringify(editDocument(document, script)), script);
}

/** For endpoints that read what they are sent. */
function afterBody(answer: (request: HttpRequest) => HttpReply | Promise<HttpReply>): Endpoint {
  return async (request, arrived) => {
    await arrived;
    return answer(request);
  };
}

/** Dynamic client registration (RFC 7591); whoever registers may ask for tokens from then on. */
function register(request: HttpRequest, clients: Client[] | undefined, { registration: script }: IdpScript): HttpReply {
  const metadata = parseJsonObject(request.body.toString());
  if (metadata === undefined) return oauthError(400, 'invalid_client_metadata', 'the body is no JSON object');
  const client = { id: randomUUID(), secret: randomUUID() };
  clients?.push(client);
  const document = {
    ...metadata,
    client_id: client.id,
    client_secret: client.secret,
    client_id_issued_at: timeWord('now'),
    client_secret_expires_at: 0,
  };
  return replyWith(JSON.stringify(editDocument(document, script)), script, 201);
}
