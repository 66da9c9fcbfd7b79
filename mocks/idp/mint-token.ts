import { createHmac, sign } from 'node:crypto';
import { ALGORITHMS, isAlgorithm } from './algorithms.ts';
import type { AlgorithmName } from './algorithms.ts';
import { keyPair } from './key-pair.ts';
import type { KeyPair } from './key-pair.ts';
import { timeWord } from './time-words.ts';
import type { TokenSpec } from './token-spec.ts';

/** Who signs, and with what. */
export interface Signer {
  readonly issuer: string;
  /** Keeps the keys of two mocks apart (`keyPair`). */
  readonly owner: string;
  /** At least one; the first signs unless a token names another. */
  readonly keys: readonly SigningKey[];
}

export interface SigningKey {
  readonly kid: string;
  readonly alg: AlgorithmName;
}

/** Signs a token as wanted, flaws included. Throws a RangeError for a key or an algorithm nobody has. */
export async function mintToken(spec: TokenSpec, signer: Signer): Promise<string> {
  const key = keyOf(spec, signer);
  const pair = await keyPair(signer.owner, spec.key === ROGUE ? ROGUE : key.kid, key.alg);
  const alg = spec.alg ?? key.alg;
  const header = overlay({ alg, typ: 'JWT', kid: spec.kid ?? key.kid }, spec.header);
  const claims = overlay({ iss: signer.issuer, sub: 'user', iat: 'now', exp: 'now+1h' }, spec.claims);
  const timed = Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, timeWord(value)]));
  const input = `${encode(header)}.${encode(timed)}`;
  const signature = signatureOf(input, alg, spec.key === 'public', pair);
  return tamper(input, signature, spec.tamper, timed);
}

const ROGUE = 'rogue';

function keyOf({ key, alg }: TokenSpec, { keys }: Signer): SigningKey {
  const named = key === undefined || key === ROGUE || key === 'public' ? undefined : key;
  const found = named === undefined ? keys[0] : keys.find(({ kid }) => kid === named);
  if (found === undefined)
    throw new RangeError(`no key ${String(named)}; there are: ${keys.map(({ kid }) => kid).join(', ')}`);
  // A token may ask for another algorithm of the same key, RS512 of an RS256 key, but an EC key cannot sign PS256.
  if (alg === undefined || !isAlgorithm(alg)) return found;
  const { family } = ALGORITHMS[alg];
  if (family !== ALGORITHMS[found.alg].family) throw new RangeError(`the key ${found.kid} cannot sign ${alg}`);
  return { ...found, alg };
}

function overlay(usual: Readonly<Record<string, unknown>>, own: TokenSpec['claims'] = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...usual, ...own }).filter(([, value]) => value !== null));
}

function signatureOf(input: string, alg: string, withPublicKey: boolean, { privateKey, publicKey }: KeyPair): Buffer {
  if (alg === 'none') return Buffer.alloc(0);
  const bytes = Buffer.from(input);
  if (isAlgorithm(alg) && !withPublicKey) {
    const { hash, options } = ALGORITHMS[alg];
    return sign(hash, bytes, { key: privateKey, ...options });
  }
  const hash = HMAC[alg];
  if (hash === undefined) throw new RangeError(`no algorithm ${alg}`);
  // The attack on verifiers that take any key for any algorithm: what is public becomes the shared secret.
  const secret = withPublicKey ? publicKey.export({ format: 'pem', type: 'spki' }) : SECRET;
  return createHmac(hash, secret).update(bytes).digest();
}

const HMAC: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };
const SECRET = 'a secret that nobody else knows';

function tamper(
  input: string,
  signature: Buffer,
  how: TokenSpec['tamper'],
  claims: Readonly<Record<string, unknown>>,
): string {
  if (how === 'no-signature') return `${input}.`;
  if (how === 'payload') {
    const [header = ''] = input.split('.');
    return `${header}.${encode({ ...claims, sub: 'somebody-else' })}.${signature.toString('base64url')}`;
  }
  const bytes = Buffer.from(signature);
  if (how === 'signature') bytes[0] = (bytes[0] ?? 0) ^ 1;
  return `${input}.${bytes.toString('base64url')}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
