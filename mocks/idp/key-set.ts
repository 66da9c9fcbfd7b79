import { editDocument } from './document.ts';
import { keyPair } from './key-pair.ts';
import type { SigningKey } from './mint-token.ts';
import type { KeyScript } from './script.ts';

/** A key as it signs, and as it is published. */
export interface PublishedKey extends SigningKey {
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** The keys of a mock; ES256 and the name `k1` where its script says nothing. */
export function publishKeys(keys: readonly KeyScript[] = [{ kid: 'k1' }], owner: string): Promise<PublishedKey[]> {
  return Promise.all(
    keys.map(async ({ kid, alg = 'ES256', published }) => {
      const { publicJwk } = await keyPair(owner, kid, alg);
      return { kid, alg, jwk: editDocument({ ...publicJwk, kid, alg, use: 'sig' }, published) };
    }),
  );
}

/** A JSON Web Key Set of the keys with these kids, of all when `kids` is absent; `pad` makes it so many bytes larger. */
export function keySet(keys: readonly PublishedKey[], kids?: readonly string[], pad = 0): string {
  const chosen = kids === undefined ? keys : kids.map((kid) => keyOf(kid, keys));
  const set = { keys: chosen.map(({ jwk }) => jwk) };
  return JSON.stringify(pad === 0 ? set : { ...set, pad: 'x'.repeat(pad) });
}

function keyOf(kid: string, keys: readonly PublishedKey[]): PublishedKey {
  const key = keys.find((one) => one.kid === kid);
  if (key === undefined) throw new RangeError(`no key ${kid}; there are: ${keys.map((one) => one.kid).join(', ')}`);
  return key;
}
