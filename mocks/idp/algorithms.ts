import { constants } from 'node:crypto';
import type { SigningOptions } from 'node:crypto';

/** A signature algorithm of RFC 7518 or RFC 8037, as node:crypto wants it. */
export interface Algorithm {
  /** Algorithms of one family may share a key. */
  readonly family: 'rsa' | 'P-256' | 'P-384' | 'P-521' | 'ed25519';
  /** Null where the algorithm has a hash of its own. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null;
  readonly options: SigningOptions & { readonly dsaEncoding?: 'ieee-p1363' };
}

const PKCS1 = { padding: constants.RSA_PKCS1_PADDING };
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const RAW = { dsaEncoding: 'ieee-p1363' } as const;

export const ALGORITHM_NAMES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;
export type AlgorithmName = (typeof ALGORITHM_NAMES)[number];

/** Every algorithm a key of an identity provider may have. */
export const ALGORITHMS: Readonly<Record<AlgorithmName, Algorithm>> = {
  RS256: { family: 'rsa', hash: 'sha256', options: PKCS1 },
  RS384: { family: 'rsa', hash: 'sha384', options: PKCS1 },
  RS512: { family: 'rsa', hash: 'sha512', options: PKCS1 },
  PS256: { family: 'rsa', hash: 'sha256', options: PSS },
  PS384: { family: 'rsa', hash: 'sha384', options: PSS },
  PS512: { family: 'rsa', hash: 'sha512', options: PSS },
  ES256: { family: 'P-256', hash: 'sha256', options: RAW },
  ES384: { family: 'P-384', hash: 'sha384', options: RAW },
  ES512: { family: 'P-521', hash: 'sha512', options: RAW },
  EdDSA: { family: 'ed25519', hash: null, options: {} },
};

/** Narrows a text of a script to the name of an algorithm. */
export function isAlgorithm(name: string): name is AlgorithmName {
  return Object.hasOwn(ALGORITHMS, name);
}
