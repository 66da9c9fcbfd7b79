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
  /** The peer that is trusted and has signed it. */
  readonly signer: string | undefined;
  /** Signed by such a peer, begun and not over. */
  readonly good: boolean;
}

/** Looks at a token: `owners` are the peers whose signatures count. */
export async function lookAtToken(token: string, owners: readonly string[]): Promise<ShownToken> {
  const parts = partsOf(token);
  if (parts === undefined) return { header: undefined, claims: undefined, signer: undefined, good: false };
  const signer = await signerOf(token, parts.header, owners);
  return { ...parts, signer, good: signer !== undefined && isInTime(parts.claims) };
}

function isInTime({ exp, nbf }: Claims): boolean {
  const now = Number(timeWord('now'));
  return !(typeof exp === 'number' && exp <= now) && !(typeof nbf === 'number' && nbf > now);
}

function partsOf(token: string): { readonly header: Claims; readonly claims: Claims } | undefined {
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

async function signerOf(token: string, { kid, alg }: Claims, owners: readonly string[]): Promise<string | undefined> {
  if (typeof kid !== 'string' || typeof alg !== 'string' || !isAlgorithm(alg)) return undefined;
  const checks = owners.map(async (owner) => {
    const { publicKey } = await keyPair(owner, kid, alg);
    await compactVerify(token, publicKey);
    return owner;
  });
  return Promise.any(checks).catch(() => undefined);
}
