import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import { isAlgorithm } from './algorithms.ts';
import { keyPair } from './key-pair.ts';
import { timeWord } from './time-words.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** A token somebody showed. */
export interface ShownToken {
  /** Undefined for a token that is no JWT. */
  readonly header: Claims | undefined;
  readonly claims: Claims | undefined;
  /** Signed by an issuer that is trusted, and not over. */
  readonly good: boolean;
}

/** Looks at a token: `owners` are the peers whose signatures count. */
export async function lookAtToken(token: string, owners: readonly string[]): Promise<ShownToken> {
  const parts = partsOf(token);
  if (parts === undefined) return { header: undefined, claims: undefined, good: false };
  const { header, claims } = parts;
  const { exp } = claims;
  const isOver = typeof exp === 'number' && exp <= Number(timeWord('now'));
  return { ...parts, good: !isOver && (await isSignedByOneOf(token, header, owners)) };
}

function partsOf(token: string): { readonly header: Claims; readonly claims: Claims } | undefined {
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

async function isSignedByOneOf(token: string, { kid, alg }: Claims, owners: readonly string[]): Promise<boolean> {
  if (typeof kid !== 'string' || typeof alg !== 'string' || !isAlgorithm(alg)) return false;
  const checks = owners.map(async (owner) => {
    const { publicKey } = await keyPair(owner, kid, alg);
    await compactVerify(token, publicKey);
  });
  return Promise.any(checks).then(
    () => true,
    () => false,
  );
}
