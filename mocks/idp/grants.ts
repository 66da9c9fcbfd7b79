import type { HttpReply } from '../http-exchange.ts';
import { oauthError } from './document.ts';
import { lookAtToken } from './shown-tokens.ts';
import type { Claims, ShownToken } from './shown-tokens.ts';

/** What a grant comes to: a token about somebody. */
export interface Granted {
  readonly claims: Claims;
  /** Whether the answer says of which type the token is (RFC 8693), and of which. */
  readonly issuedType?: string;
}

/** Whom the endpoint believes. */
export interface Trust {
  /** Names of the peers whose signatures count: its own and others. */
  readonly owners: readonly string[];
  /** What assertions of a jwt-bearer grant may be addressed to. */
  readonly audiences: readonly string[];
  /** Opaque tokens it knows; any when absent. */
  readonly opaque: readonly string[] | undefined;
}

type Grant = (form: URLSearchParams, clientId: string | undefined, trust: Trust) => Promise<Granted | HttpReply>;

/** The grants by `grant_type`. */
export const GRANTS: Readonly<Record<string, Grant>> = {
  client_credentials: async (form, clientId) =>
    clientId === undefined
      ? oauthError(401, 'invalid_client', 'unknown client or wrong secret')
      : { claims: { sub: clientId, ...aboutAudience(form, clientId) } },
  'urn:ietf:params:oauth:grant-type:token-exchange': tokenExchange,
  'urn:ietf:params:oauth:grant-type:jwt-bearer': jwtBearer,
};

const TYPE = 'urn:ietf:params:oauth:token-type:';
export const ID_JAG = `${TYPE}id-jag`;
const ACCESS_TOKEN = `${TYPE}access_token`;

/** RFC 8693, section 2.1 */
async function tokenExchange(
  form: URLSearchParams,
  clientId: string | undefined,
  trust: Trust,
): Promise<Granted | HttpReply> {
  const flaw = flawOfExchange(form);
  if (flaw !== undefined) return oauthError(400, 'invalid_request', flaw);
  const subject = await lookAt(form.get('subject_token') ?? '', trust);
  const actorToken = form.get('actor_token');
  const actor = actorToken === null ? undefined : await lookAt(actorToken, trust);
  if (subject === undefined) return oauthError(400, 'invalid_request', 'the subject token is no good');
  if (actorToken !== null && actor === undefined)
    return oauthError(400, 'invalid_request', 'the actor token is no good');
  if (actor !== undefined && !mayAct(subject, actor))
    return oauthError(400, 'invalid_request', 'the subject does not let the actor act');
  const act = actor === undefined ? {} : { act: { sub: nameOf(actor) } };
  const claims = { sub: nameOf(subject), ...act, ...aboutAudience(form, clientId) };
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
  return badResource === undefined ? undefined : 'a resource is an absolute URI without fragment';
}

/** RFC 7523, sections 2.1 and 3 */
async function jwtBearer(
  form: URLSearchParams,
  clientId: string | undefined,
  trust: Trust,
): Promise<Granted | HttpReply> {
  const assertion = form.get('assertion');
  if (assertion === null || assertion === '') return oauthError(400, 'invalid_request', 'assertion is missing');
  const { claims, good } = await lookAtToken(assertion, trust.owners);
  const { iss, sub, aud, exp } = claims ?? {};
  const isForHere = [aud].flat().some((one) => trust.audiences.includes(String(one)));
  if (!good || typeof iss !== 'string' || typeof sub !== 'string' || typeof exp !== 'number' || !isForHere)
    return oauthError(400, 'invalid_grant', 'the assertion is no good');
  return { claims: { sub, ...aboutAudience(form, clientId) } };
}

/** Undefined for a token that is not believed. */
async function lookAt(token: string, { owners, opaque }: Trust): Promise<ShownToken | undefined> {
  const shown = await lookAtToken(token, owners);
  const believed = shown.claims === undefined ? opaque === undefined || opaque.includes(token) : shown.good;
  return believed ? shown : undefined;
}

/** RFC 8693, section 4.4. A subject that says nothing about it forbids nothing. */
function mayAct({ claims: subject }: ShownToken, { claims: actor }: ShownToken): boolean {
  const allowed = subject?.['may_act'];
  if (typeof allowed !== 'object' || allowed === null) return true;
  return Object.entries(allowed).every(([name, value]) => JSON.stringify(actor?.[name]) === JSON.stringify(value));
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
