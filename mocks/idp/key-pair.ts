import { generateKeyPair } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { ALGORITHMS } from './algorithms.ts';
import type { Algorithm, AlgorithmName } from './algorithms.ts';

/** Two halves of one key. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: JsonWebKey;
}

/**
 * The key of that owner under that name. Made when it is first asked for and kept for the life of the process, because
 * an RSA key takes a tenth of a second; owners of different names never share one.
 */
export function keyPair(owner: string, name: string, alg: AlgorithmName): Promise<KeyPair> {
  const { family } = ALGORITHMS[alg];
  const slot = JSON.stringify([owner, name, family]);
  const known = kept.get(slot) ?? generate(family);
  kept.set(slot, known);
  return known;
}

const kept = new Map<string, Promise<KeyPair>>();
const generateAsync = promisify(generateKeyPair);

async function generate(family: Algorithm['family']): Promise<KeyPair> {
  const { privateKey, publicKey } = await halves(family);
  return { privateKey, publicKey, publicJwk: publicKey.export({ format: 'jwk' }) };
}

function halves(family: Algorithm['family']): Promise<Pick<KeyPair, 'privateKey' | 'publicKey'>> {
  if (family === 'rsa') return generateAsync('rsa', { modulusLength: 2048 });
  return family === 'ed25519' ? generateAsync('ed25519') : generateAsync('ec', { namedCurve: family });
}
