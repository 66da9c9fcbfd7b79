import { lastingState } from '../services.ts';
import { type KeySet, NO_KEYS, parseKeySet } from './key-set.ts';
import type { KeySetSource } from './key-set-source.ts';

/** JWT-009: keys that stand in the policy. What is wrong with them is logged with the first request that asks. */
export function inlineKeySet(text: string, issuer: string): KeySetSource {
  const set = parseKeySet(text) ?? { ...NO_KEYS, unusable: ['the text is no JSON Web Key Set'] };
  return (_, services) => {
    const logged = logOf(services, set);
    if (!logged.complete) services.log.warn('unusable keys', { issuer, unusable: set.unusable });
    logged.complete = true;
    return set;
  };
}

const logOf = lastingState(({ unusable }: KeySet) => ({ complete: unusable.length === 0 }));
