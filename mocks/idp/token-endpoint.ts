import { randomUUID } from 'node:crypto';
import type { HttpReply } from '../http-exchange.ts';
import { editDocument, oauthError, replyWith } from './document.ts';
import { mintToken } from './mint-token.ts';
import type { Signer } from './mint-token.ts';
import type { IdpScript } from './script.ts';

/** A client of the token endpoint. */
export interface Client {
  readonly id: string;
  readonly secret?: string | undefined;
}

/** A request to the token endpoint. */
export interface TokenRequest {
  /** The value of `Authorization`, if any. */
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

const LIFETIME_SECONDS = 300;

/**
 * Answers a client_credentials request (RFC 6749, section 4.4) with a signed access token. `clients` undefined takes
 * anybody who names himself.
 */
export async function issueToken(
  { authorization, form }: TokenRequest,
  clients: readonly Client[] | undefined,
  script: IdpScript['token'],
  signer: Signer,
): Promise<HttpReply> {
  const grant = form.get('grant_type');
  if (grant !== 'client_credentials') return oauthError(400, 'unsupported_grant_type', `no grant ${String(grant)}`);
  const shown = credentials(authorization, form);
  const known = clients === undefined || clients.some(({ id, secret }) => id === shown?.id && secret === shown.secret);
  if (shown === undefined || !known) return oauthError(401, 'invalid_client', 'unknown client or wrong secret');
  const expiresIn = script?.expiresIn ?? LIFETIME_SECONDS;
  const scope = form.get('scope');
  const claims = {
    sub: shown.id,
    client_id: shown.id,
    aud: form.get('audience') ?? form.get('resource') ?? shown.id,
    exp: `now+${expiresIn}s`,
    jti: randomUUID(),
    ...(scope === null ? {} : { scope }),
    ...script?.claims,
  };
  const document = {
    access_token: await mintToken({ claims }, signer),
    token_type: 'Bearer',
    expires_in: expiresIn,
    ...(scope === null ? {} : { scope }),
  };
  return replyWith(JSON.stringify(editDocument(document, script)), script);
}

/** Who asks, by `client_secret_basic` or `client_secret_post`. */
function credentials(authorization: string | undefined, form: URLSearchParams): Client | undefined {
  const basic = /^basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (basic === undefined) {
    const id = form.get('client_id');
    return id === null ? undefined : { id, secret: form.get('client_secret') ?? undefined };
  }
  const [id = '', ...secret] = Buffer.from(basic, 'base64').toString().split(':');
  return { id: decodeForm(id), secret: decodeForm(secret.join(':')) };
}

/** RFC 6749, section 2.3.1: both halves are form-encoded before they are joined. */
function decodeForm(text: string): string {
  return new URLSearchParams(`x=${text}`).get('x') ?? '';
}
