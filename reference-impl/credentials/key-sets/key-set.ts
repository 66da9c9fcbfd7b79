import { createPublicKey } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';

/** A public key, and the algorithms a token may use with it. */
export interface VerificationKey {
  readonly key: KeyObject;
  readonly algorithms: readonly string[];
}

/** The usable keys of a JSON Web Key Set by `kid`, and why others are not: RFC 7517 lets a reader pass over them. */
export interface KeySet {
  readonly keys: ReadonlyMap<string, VerificationKey>;
  readonly unusable: readonly string[];
}

export const NO_KEYS: KeySet = { keys: new Map(), unusable: [] };

/** The keys of a JSON text; undefined when it is no key set. Never throws. */
export function parseKeySet(text: string): KeySet | undefined {
  const set = parseJson(text);
  if (!isObject(set) || !Array.isArray(set['keys'])) return undefined;
  const entries = set['keys'].map((jwk: unknown) => readKey(jwk));
  return {
    // The first of two keys with one name counts.
    keys: new Map(entries.flatMap((entry) => ('kid' in entry ? [[entry.kid, entry] as const] : [])).toReversed()),
    unusable: entries.flatMap((entry) => ('reason' in entry ? [entry.reason] : [])),
  };
}

type Usable = (VerificationKey & { readonly kid: string }) | { readonly reason: string };

function readKey(jwk: unknown): Usable {
  if (!isObject(jwk)) return { reason: 'a key that is no object' };
  const { kid, use } = jwk;
  // A token names its key, so one without a name cannot be meant.
  if (typeof kid !== 'string') return { reason: 'a key without kid' };
  const named = `key ${JSON.stringify(kid.slice(0, 100))}`;
  if (use !== undefined && use !== 'sig') return { reason: `${named} is not for signatures` };
  const algorithms = algorithmsOf(jwk);
  if (algorithms === undefined) return { reason: `${named} has a type or an algorithm that is not taken` };
  const key = importKey(jwk);
  return key === undefined ? { reason: `${named} is no valid key` } : { kid, key, algorithms };
}

/** By type of key. None of them is symmetric: who can read the key set could sign with such a key. */
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  'EC P-256': ['ES256'],
  'EC P-384': ['ES384'],
  'OKP Ed25519': ['EdDSA', 'Ed25519'],
};

/** The algorithm the key names, or every one of its type. */
function algorithmsOf({ kty, crv, alg }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const ofType = ALGORITHMS[kty === 'RSA' ? 'RSA' : [kty, crv].filter((part) => typeof part === 'string').join(' ')];
  const taken = alg === undefined ? ofType : ofType?.filter((one) => one === alg);
  return taken?.length === 0 ? undefined : taken;
}

function importKey(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined; // the caller says which key it is
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller says whose key set it is
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
