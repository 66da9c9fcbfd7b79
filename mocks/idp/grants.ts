import { isDeepStrictEqual } from 'node:util';
import type { HttpReply } from '../http-exchange.ts';
import type { Proof } from './client.ts';
import { oauthError } from './document.ts';
import { lookAtToken } from './shown-tokens.ts';
import type { Claims, ShownToken } from './shown-tokens.ts';
import { ACCESS_TOKEN, ID_JAG, ID_TOKEN, isIdJag, ISSUED_TYPES, isOfType } from './token-types.ts';

/** What a grant comes to: a token about somebody. */
export interface Granted {
  readonly claims: Claims;
  /** Whether the answer says of which type the token is (RFC 8693), and of which. */
  readonly issuedType?: string;
}

/** Whom the endpoint believes. */
export interface Trust {
  /** What it calls itself. */
  readonly issuer: string;
  /** Names of the peers whose signatures count: its own first, then others. */
  readonly owners: readonly string[];
  /** What assertions of a jwt-bearer grant may be addressed to. */
  readonly audiences: readonly string[];
  /** Opaque tokens it knows; any when absent. */
  readonly opaque: readonly string[] | undefined;
}

type Grant = (form: URLSearchParams, client: Proof, trust: Trust) => Promise<Granted | HttpReply>;

/** The grants by `grant_type`. */
export const GRANTS: Readonly<Record<string, Grant>> = {
  client_credentials: clientCredentials,
  'urn:ietf:params:oauth:grant-type:token-exchange': tokenExchange,
  'urn:ietf:params:oauth:grant-type:jwt-bearer': jwtBearer,
};

/** RFC 6749, section 4.4: only for clients that prove to be who they say. */
async function clientCredentials(form: URLSearchParams, { id, method }: Proof): Promise<Granted | HttpReply> {
  if (id === undefined) return oauthError(401, 'invalid_client', 'unknown client or wrong secret');
  if (method === 'none') return oauthError(400, 'unauthorized_client', 'a client that proves nothing acts for itself');
  return { claims: { sub: id, ...aboutAudience(form, id) } };
}

/** RFC 8693, section 2.1 */
async function tokenExchange(form: URLSearchParams, client: Proof, trust: Trust): Promise<Granted | HttpReply> {
  const flaw = flawOfExchange(form);
  if (flaw !== undefined) return oauthError(400, 'invalid_request', flaw);
  const subject = await lookAt(form.get('subject_token') ?? '', trust);
  const actorToken = form.get('actor_token');
  const actor = actorToken === null ? undefined : await lookAt(actorToken, trust);
  if (subject === undefined || !isOfType(subject, form.get('subject_token_type')))
    return oauthError(400, 'invalid_request', 'the subject token is no good');
  if (actorToken !== null && (actor === undefined || !isOfType(actor, form.get('actor_token_type'))))
    return oauthError(400, 'invalid_request', 'the actor token is no good');
  if (actor !== undefined && !mayAct(subject, actor))
    return oauthError(400, 'invalid_request', 'the subject does not let the actor act');
  const act = actor === undefined ? {} : { act: { sub: nameOf(actor) } };
  const claims = { sub: nameOf(subject), ...act, ...aboutAudience(form, client.id) };
  return { claims, issuedType: form.get('requested_token_type') ?? ACCESS_TOKEN };
}

function flawOfExchange(form: URLSearchParams): string | undefined {
  const missing = ['subject_token', 'subject_token_type'].find((name) => (form.get(name) ?? '') === '');
  if (missing !== undefined) return `${missing} is missing`;
  if (form.has('actor_token') !== form.has('actor_token_type')) return 'actor_token and its type go together';
  const types = ['subject_token_type', 'actor_token_type', 'requested_token_type'].flatMap((name) => form.getAll(name));
  const notUri = types.find((type) => !URL.canParse(type));
  if (notUri !== undefined) return `${notUri} is no URI`;
  // RFC 8707, section 2
  const badResource = form.getAll('resource').find((resource) => !URL.canParse(resource) || resource.includes('#'));
  if (badResource !== undefined) return 'a resource is an absolute URI without fragment';
  return flawOfWish(form);
}

/** What is asked for must be something that is given here, and an identity assertion is about a user, for one server. */
function flawOfWish(form: URLSearchParams): string | undefined {
  const wanted = form.get('requested_token_type') ?? ACCESS_TOKEN;
  if (!ISSUED_TYPES.includes(wanted)) return `no ${wanted} is given here`;
  if (wanted !== ID_JAG) return undefined;
  if (form.get('subject_token_type') !== ID_TOKEN) return 'an ID-JAG is given for an ID token';
  return form.getAll('audience').length === 1 ? undefined : 'an ID-JAG is for one audience';
}

/** RFC 7523, sections 2.1 and 3 */
async function jwtBearer(form: URLSearchParams, client: Proof, trust: Trust): Promise<Granted | HttpReply> {
  const assertion = form.get('assertion');
  if (assertion === null || assertion === '') return oauthError(400, 'invalid_request', 'assertion is missing');
  const shown = await lookAtToken(assertion, trust.owners);
  const { iss, sub, exp } = shown.claims ?? {};
  const isWhole = typeof iss === 'string' && typeof sub === 'string' && typeof exp === 'number';
  if (!shown.good || !isWhole || !isForHere(shown, trust))
    return oauthError(400, 'invalid_grant', 'the assertion is no good');
  return { claims: { sub, ...aboutAudience(form, client.id) } };
}

/**
 * Whether an assertion is meant for this server. Another provider speaks for a user with an identity assertion alone,
 * and that names the issuer and nobody else.
 */
function isForHere(shown: ShownToken, { issuer, owners, audiences }: Trust): boolean {
  const { iss, aud } = shown.claims ?? {};
  if (isIdJag(shown)) return aud === issuer;
  const isOwn = shown.signer === owners[0] && iss === issuer;
  return isOwn && [aud].flat().some((one) => audiences.includes(String(one)));
}

/** Undefined for a token that is not believed. */
async function lookAt(token: string, { owners, opaque }: Trust): Promise<ShownToken | undefined> {
  const shown = await lookAtToken(token, owners);
  const believed = shown.claims === undefined ? opaque === undefined || opaque.includes(token) : shown.good;
  return believed ? shown : undefined;
}

/** RFC 8693, section 4.4. A subject that says nothing about it forbids nothing; one that names nobody lets nobody act. */
function mayAct({ claims: subject }: ShownToken, { claims: actor }: ShownToken): boolean {
  const allowed = subject?.['may_act'];
  if (allowed === undefined) return true;
  if (typeof allowed !== 'object' || allowed === null || Array.isArray(allowed)) return false;
  const members = Object.entries(allowed);
  return members.length > 0 && members.every(([name, value]) => isDeepStrictEqual(actor?.[name], value));
}

function nameOf({ claims }: ShownToken): unknown {
  return claims?.['sub'] ?? 'the owner of an opaque token';
}

function aboutAudience(form: URLSearchParams, clientId: string | undefined): Claims {
  const named = [...form.getAll('audience'), ...form.getAll('resource')];
  const scope = form.get('scope');
  return {
    ...(named.length === 0 ? { aud: clientId } : { aud: named.length === 1 ? named[0] : named }),
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(scope === null ? {} : { scope }),
  };
}
