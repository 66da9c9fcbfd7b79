import { randomUUID } from 'node:crypto';
import { edited, oauthError, replyWith } from './document.ts';
import type { IdpReply } from './document.ts';
import { keySet } from './key-set.ts';
import type { PublishedKey } from './key-set.ts';
import type { Signer } from './mint-token.ts';
import type { IdpScript } from './script.ts';
import { timeWord } from './time-words.ts';
import { issueToken } from './token-endpoint.ts';
import type { Client } from './token-endpoint.ts';

/** A request as the HTTP mock recorded it. */
export interface IdpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** What the endpoints speak for. */
export interface Identity extends Signer {
  readonly keys: readonly PublishedKey[];
  /** Where the mock listens, without a slash at the end. */
  readonly url: string;
  readonly jwksPath: string;
}

/** Answers one request; `arrived` is true when its body has come. Rejects when the script names a key that is not there. */
export type Endpoint = (request: IdpRequest, arrived: Promise<boolean>) => IdpReply | Promise<IdpReply>;

/** The endpoints of the mock by `METHOD path`. */
export function endpoints(script: IdpScript, identity: Identity): ReadonlyMap<string, Endpoint> {
  const clients: Client[] | undefined = script.clients === undefined ? undefined : [...script.clients];
  return new Map<string, Endpoint>([
    [`GET ${identity.jwksPath}`, keySets(script, identity)],
    ['GET /.well-known/openid-configuration', () => discovery(script, identity)],
    ['GET /.well-known/oauth-authorization-server', () => discovery(script, identity)],
    [`POST ${TOKEN_PATH}`, (request, arrived) => token(request, arrived, clients, script, identity)],
    [`POST ${REGISTRATION_PATH}`, (request, arrived) => register(request, arrived, clients, script)],
  ]);
}

const TOKEN_PATH = '/token';
const REGISTRATION_PATH = '/register';

/** One entry of the script per fetch; the last repeats. */
function keySets({ jwks = [{}] }: IdpScript, { keys }: Identity): Endpoint {
  let fetches = 0;
  return () => {
    const script = jwks[Math.min(fetches, jwks.length - 1)] ?? {};
    fetches += 1;
    return replyWith(keySet(keys, script.keys, script.pad), script);
  };
}

/** RFC 8414, and what OpenID Connect adds. */
function discovery({ discovery: script }: IdpScript, { issuer, url, jwksPath, keys }: Identity): IdpReply {
  const document = {
    issuer,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}${TOKEN_PATH}`,
    registration_endpoint: `${url}${REGISTRATION_PATH}`,
    jwks_uri: `${url}${jwksPath}`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))],
  };
  return replyWith(JSON.stringify(edited(document, script)), script);
}

async function token(
  request: IdpRequest,
  arrived: Promise<boolean>,
  clients: readonly Client[] | undefined,
  script: IdpScript,
  signer: Signer,
): Promise<IdpReply> {
  await arrived;
  const authorization = request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const form = new URLSearchParams(request.body.toString());
  return issueToken({ authorization, form }, clients, script.token, signer);
}

/** Dynamic client registration (RFC 7591); whoever registers may ask for tokens from then on. */
async function register(
  request: IdpRequest,
  arrived: Promise<boolean>,
  clients: Client[] | undefined,
  { registration: script }: IdpScript,
): Promise<IdpReply> {
  await arrived;
  const metadata = parsed(request.body.toString());
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
  return replyWith(JSON.stringify(edited(document, script)), script, 201);
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // the caller answers what RFC 7591 wants for it
  }
}
