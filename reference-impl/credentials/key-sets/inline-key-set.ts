import { NO_KEYS, parseKeySet } from './key-set.ts';
import type { KeySetSource } from './key-set-source.ts';

/** JWT-009: keys that stand in the policy. What is wrong with them is logged with the first request that asks. */
export function inlineKeySet(text: string, issuer: string): KeySetSource {
  const set = parseKeySet(text) ?? { ...NO_KEYS, unusable: ['the text is no JSON Web Key Set'] };
  let told = set.unusable.length === 0;
  return (_, { log }) => {
    if (!told) log.warn('unusable keys', { issuer, unusable: set.unusable });
    told = true;
    return set;
  };
}
