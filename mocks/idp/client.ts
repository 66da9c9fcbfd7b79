import { createPublicKey, X509Certificate } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import type { HttpReply } from '../http-exchange.ts';
import type { Method } from './client-methods.ts';
import { oauthError } from './document.ts';
import { namesCertificate } from './named-certificate.ts';
import { timeWord } from './time-words.ts';
import type { TokenRequest } from './token-request.ts';

/** A client of the token endpoint. */
export interface Client {
  readonly id: string;
  readonly secret?: string | undefined;
  /** PEM. A client with a key, or with a certificate, proves itself by assertions (RFC 7523, section 2.2). */
  readonly publicKey?: string | undefined;
  /** PEM; its assertions must name it. */
  readonly certificate?: string | undefined;
  /** What its assertions must be addressed to. */
  readonly audience?: string | undefined;
  /** The only way in which it may prove itself. */
  readonly method?: Method | undefined;
}

/** How a question says who asks. */
export interface Proof {
  readonly method: Method | 'none';
  readonly id: string | undefined;
  readonly secret?: string | undefined;
  readonly assertion?: string | undefined;
}

/** What the endpoint needs to know to believe a client. */
export interface Desk {
  /** Anybody when absent. */
  readonly clients: readonly Client[] | undefined;
  /** What assertions may be addressed to, unless their client has an audience of its own. */
  readonly audiences: readonly string[];
  /** Names of assertions that were shown: nobody may show one twice. */
  readonly used: Set<string>;
}

/** Who says to ask (RFC 6749, section 2.3): a client shows itself in one way only. */
export function proofOf({ authorization, form }: TokenRequest): Proof | HttpReply {
  const basic = /^basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization ?? '')?.[1];
  const [secret, assertion] = [form.get('client_secret') ?? undefined, form.get('client_assertion') ?? undefined];
  const shown = [authorization, secret, assertion].filter((one) => one !== undefined);
  if (shown.length > 1) return oauthError(400, 'invalid_request', 'the client shows itself in more than one way');
  if (authorization !== undefined && basic === undefined) return INVALID;
  const id = form.get('client_id') ?? undefined;
  const type = form.get('client_assertion_type');
  if (basic !== undefined) return inHeader(basic, id);
  if (assertion !== undefined) return byAssertion(assertion, id, type);
  if (type !== null) return oauthError(400, 'invalid_request', 'client_assertion is missing');
  if (id === undefined) return secret === undefined ? { method: 'none', id } : INVALID;
  return { method: secret === undefined ? 'none' : 'client_secret_post', id, secret };
}

const INVALID = oauthError(401, 'invalid_client', 'unknown client or wrong proof');
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** RFC 6749, section 2.3.1: both halves are form-encoded before they are joined. The form may name the same client only. */
function inHeader(basic: string, inForm: string | undefined): Proof | HttpReply {
  const [first = '', ...secret] = Buffer.from(basic, 'base64').toString().split(':');
  const id = decodeForm(first);
  if (inForm !== undefined && inForm !== id) return oauthError(400, 'invalid_request', 'there are two clients');
  return { method: 'client_secret_basic', id, secret: decodeForm(secret.join(':')) };
}

function decodeForm(text: string): string {
  return new URLSearchParams(`x=${text}`).get('x') ?? '';
}

/** RFC 7521, section 4.2: `client_id` is optional, and must be the subject when it is there. */
function byAssertion(assertion: string, id: string | undefined, type: string | null): Proof | HttpReply {
  if (type !== ASSERTION_TYPE) return oauthError(400, 'invalid_request', 'client_assertion_type is not jwt-bearer');
  const subject = claimsOf(assertion)?.['sub'];
  if (typeof subject !== 'string' || (id !== undefined && id !== subject)) return INVALID;
  return { method: 'private_key_jwt', id: subject, assertion };
}

/** The failure of a client that is not believed; undefined when it is. */
export async function doubtAbout(proof: Proof, desk: Desk): Promise<HttpReply | undefined> {
  if (desk.clients === undefined) return undefined;
  const client = desk.clients.find(({ id }) => id === proof.id);
  if (client === undefined || (client.method !== undefined && client.method !== proof.method)) return INVALID;
  const believed =
    client.publicKey !== undefined || client.certificate !== undefined
      ? proof.assertion !== undefined && (await isOwnAssertion(proof.assertion, client, desk))
      : proof.assertion === undefined && client.secret === proof.secret;
  return believed ? undefined : INVALID;
}

/** Seconds that the clock of a client may be off (RFC 7523, section 3: small clock skew is allowed for). */
const LEEWAY = 30;

/** RFC 7523, section 3, and the header members of RFC 7515 that name a certificate. */
async function isOwnAssertion(assertion: string, client: Client, { audiences, used }: Desk): Promise<boolean> {
  const claims = claimsOf(assertion) ?? {};
  const now = Number(timeWord('now'));
  const { iss, sub, aud, exp, nbf, jti } = claims;
  const wanted = client.audience === undefined ? audiences : [client.audience];
  const isForHere = [aud].flat().some((one) => wanted.includes(String(one)));
  const isInTime = typeof exp === 'number' && exp > now - LEEWAY && (typeof nbf !== 'number' || nbf <= now + LEEWAY);
  const isFresh = typeof jti === 'string' && !used.has(jti);
  if (iss !== client.id || sub !== client.id || !isForHere || !isInTime || !isFresh) return false;
  used.add(jti);
  const header = { ...decodeProtectedHeader(assertion) };
  return namesCertificate(header, client.certificate) && isSignedBy(assertion, client);
}

async function isSignedBy(assertion: string, { publicKey, certificate }: Client): Promise<boolean> {
  const key = publicKey === undefined ? new X509Certificate(certificate ?? '').publicKey : createPublicKey(publicKey);
  return compactVerify(assertion, key).then(
    () => true,
    () => false,
  );
}

function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}
