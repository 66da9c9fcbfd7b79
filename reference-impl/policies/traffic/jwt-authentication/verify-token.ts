import { hash } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Provider } from './provider.ts';
import type { KeySet, VerificationKey } from '../../../credentials/key-sets/key-set.ts';
import { lastingState, type Services } from '../../../credentials/services.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** The claims of a token that passed every check, or why it did not. */
export type Verdict = { readonly claims: Claims } | { readonly reason: string };

/** Seconds by which the clocks of issuer and proxy may differ. docs/decisions/jwt-authentication.md */
const LEEWAY = 60;

export interface Asked {
  readonly keysOf: (provider: Provider) => KeySet | Promise<KeySet>;
  readonly services: Services;
}

/**
 * Checks a token against the providers that issue under its `iss` (JWT-004, JWT-026). `keysOf` gives the keys of a
 * provider, `now` is in milliseconds since 1970. Never rejects.
 */
export async function verifyToken(
  token: string,
  providers: readonly Provider[],
  { keysOf, services }: Asked,
  now: number,
): Promise<Verdict> {
  const named = names(token);
  if ('reason' in named) return named;
  let verdict: Verdict = { reason: `${INVALID}: unknown issuer` };
  // Nothing but the choice of provider rests on what is not verified yet.
  for (const provider of providers.filter(({ issuer }) => isFrom(issuer, named.issuer))) {
    verdict = await verifyFor(provider, await keysOf(provider), { token, kid: named.kid, services }, now);
    if ('claims' in verdict) return verdict;
  }
  return verdict;
}

function isFrom(issuer: string | undefined, iss: unknown): boolean {
  return issuer === undefined || iss === issuer;
}

const INVALID = 'the token is invalid or malformed';

/** What the token says about its key and its issuer. */
function names(token: string): { readonly kid: string; readonly issuer: unknown } | { readonly reason: string } {
  try {
    const { kid } = decodeProtectedHeader(token);
    if (typeof kid !== 'string') return { reason: 'the token header does not specify a `kid`' };
    return { kid, issuer: decodeJwt(token).iss };
  } catch (error) {
    return { reason: `the token header is malformed: ${messageOf(error)}` };
  }
}

/** JWT-003, JWT-008: the key is one of this provider's. */
async function verifyFor(
  provider: Provider,
  { keys }: KeySet,
  { token, kid, services }: { readonly token: string; readonly kid: string; readonly services: Services },
  now: number,
): Promise<Verdict> {
  const key = keys.get(kid);
  if (key === undefined) return { reason: `token uses the unknown key ${JSON.stringify(kid.slice(0, 100))}` };
  const verdict = await verifySignature(token, key, services);
  if ('reason' in verdict) return verdict;
  const flaw = flawOf(verdict.claims, provider, now / 1000);
  return flaw === undefined ? verdict : { reason: `${INVALID}: ${flaw}` };
}

/**
 * A client shows its token with every request. What a signature vouched for is remembered for as long as the key set that has the key, and
 * only that: times, issuer and audience are judged each time, and a signature that does not fit costs its full price.
 */
const verified = lastingState<VerificationKey, LRUCache<string, Claims>>(
  () => new LRUCache({ max: 1024, maxSize: MOST_REMEMBERED }),
);

/** Characters of tokens, per key. */
const MOST_REMEMBERED = 1024 * 1024;

async function verifySignature(token: string, key: VerificationKey, services: Services): Promise<Verdict> {
  const remembered = verified(services, key);
  const name = hash('sha256', token, 'base64');
  const claims = remembered.get(name);
  if (claims !== undefined) return { claims };
  const verdict = await readSigned(token, key);
  if ('claims' in verdict) remembered.set(name, verdict.claims, { size: token.length });
  return verdict;
}

async function readSigned(token: string, { key, algorithms }: VerificationKey): Promise<Verdict> {
  try {
    const { payload, protectedHeader } = await compactVerify(token, key, { algorithms: [...algorithms] });
    const claims: unknown = JSON.parse(UTF_8.decode(payload));
    // RFC 7519 knows no other form of payload than the encoded one.
    if (protectedHeader.b64 === false || !isClaims(claims)) return { reason: `${INVALID}: the claims are no object` };
    return { claims };
  } catch (error) {
    return { reason: `${INVALID}: ${messageOf(error)}` };
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function isClaims(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is wrong with verified claims; `now` in seconds. JWT-023: the documents do not speak of times. */
function flawOf({ iss, aud, exp, nbf }: Claims, { issuer, audiences }: Provider, now: number): string | undefined {
  // JWT-004
  if (!isFrom(issuer, iss)) return 'wrong issuer';
  // JWT-005, JWT-006, JWT-007
  if (audiences !== undefined && ![aud].flat().some((one) => typeof one === 'string' && audiences.includes(one)))
    return 'wrong audience';
  if (typeof exp !== 'number' || exp <= now - LEEWAY) return 'expired, or without expiry';
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + LEEWAY)) return 'not valid yet';
  return undefined;
}

/** What is wrong in words of our own: those of the library are not for clients. */
function messageOf(error: unknown): string {
  const code = error instanceof errors.JOSEError ? error.code : '';
  return FLAWS.get(code) ?? 'it cannot be read';
}

const FLAWS: ReadonlyMap<string, string> = new Map([
  ['ERR_JWS_SIGNATURE_VERIFICATION_FAILED', 'the signature does not fit'],
  ['ERR_JWS_INVALID', 'its form is wrong'],
  ['ERR_JOSE_ALG_NOT_ALLOWED', 'its algorithm is not allowed'],
  ['ERR_JOSE_NOT_SUPPORTED', 'it needs what is not supported'],
]);
