import { constants, createPublicKey, verify } from 'node:crypto';
import type { KeyObject, SigningOptions } from 'node:crypto';
import { isObject } from '../json.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';
import { wallClock } from '../wall-clock.ts';

const MEMBERS = ['key', 'prefix', 'header', 'claims', 'expiresIn', 'lifetime'];

/**
 * `{~jwt: {key: PEM, prefix: 'Bearer ', header: …, claims: …, expiresIn: …, lifetime: …}}`: `expiresIn` is seconds from now to `exp`,
 * `lifetime` from `iat` to `exp`.
 */
export const jwt: Matcher = {
  name: '~jwt',
  text: 'is a JWT that verifies with the public key (PEM) under `key` and is valid by now; `prefix` stands before it; `header`, `claims`, `expiresIn` and `lifetime` (seconds) match',
  problem: (argument) => {
    if (!isObject(argument) || typeof argument['key'] !== 'string') return '{key: PEM, …}';
    return Object.keys(argument).every((name) => MEMBERS.includes(name)) ? undefined : `only ${MEMBERS.join(', ')}`;
  },
  check: (use) => {
    const { key, prefix = '', ...expected } = isObject(use.argument) ? use.argument : {};
    const token = withoutPrefix(use.actual, String(prefix));
    const parts = token === undefined ? undefined : decode(token);
    if (token === undefined || parts === undefined) return one(use, false, `${String(prefix)}JWT`);
    if (!verifies(token, parts.header['alg'], String(key))) return one(use, false, 'a JWT that verifies with the key');
    const { exp, iat, nbf } = parts.claims;
    if (nbf !== undefined && !(Number(nbf) <= nowSeconds() + LEEWAY)) return one(use, false, 'a JWT whose nbf is over');
    const times = { expiresIn: Number(exp) - nowSeconds(), lifetime: Number(exp) - Number(iat) };
    const actual = { ...parts, ...times };
    return use.match(expected, actual, { ...use.context, root: actual });
  },
};

/** Seconds that clocks may differ (RFC 7519, 4.1.5: a few minutes at most). */
const LEEWAY = 30;

function withoutPrefix(actual: unknown, prefix: string): string | undefined {
  return typeof actual === 'string' && actual.startsWith(prefix) ? actual.slice(prefix.length) : undefined;
}

interface Parts {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

function decode(token: string): Parts | undefined {
  const pieces = token.split('.');
  const [header, claims] = pieces.slice(0, 2).map(decodePart);
  return pieces.length === 3 && header !== undefined && claims !== undefined ? { header, claims } : undefined;
}

function decodePart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // no JSON: that is the answer
  }
}

/** The algorithms of document 001 that proxies sign with (ADMIT-148). */
const ALGORITHMS: ReadonlyMap<unknown, Algorithm> = new Map([
  ['RS256', { key: 'rsa', hash: 'sha256' }],
  ['RS384', { key: 'rsa', hash: 'sha384' }],
  ['RS512', { key: 'rsa', hash: 'sha512' }],
  ['PS256', { key: 'rsa', hash: 'sha256', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }],
  ['ES256', { key: 'prime256v1', hash: 'sha256', dsaEncoding: 'ieee-p1363' }],
  ['ES384', { key: 'secp384r1', hash: 'sha384', dsaEncoding: 'ieee-p1363' }],
]);

interface Algorithm extends SigningOptions {
  /** Kind of key, or its curve. */
  readonly key: string;
  readonly hash: string;
  readonly dsaEncoding?: 'ieee-p1363';
}

function verifies(token: string, alg: unknown, pem: string): boolean {
  const algorithm = ALGORITHMS.get(alg);
  const key = createPublicKey(pem);
  if (algorithm === undefined || kindOf(key) !== algorithm.key) return false;
  const { hash, key: _, ...options } = algorithm;
  const [header = '', claims = '', signature = ''] = token.split('.');
  const signed = Buffer.from(`${header}.${claims}`);
  return verify(hash, signed, { key, ...options }, Buffer.from(signature, 'base64url'));
}

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  return asymmetricKeyType === 'ec' ? asymmetricKeyDetails?.namedCurve : asymmetricKeyType;
}

/** Seconds since 1970. */
function nowSeconds(): number {
  return Math.floor(wallClock() / 1000);
}
