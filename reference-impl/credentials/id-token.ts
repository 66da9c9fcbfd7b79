import type { Clock } from '../base/clock.ts';
import { unverifiedClaims } from './oauth/unverified-claims.ts';
import type { Token } from './token-cache.ts';

/** An ID token, which says itself how long it is good for; undefined for an answer that has none. */
export function idToken(status: number, text: unknown, clock: Clock): Token | undefined {
  const value = typeof text === 'string' ? text.trim() : '';
  const claims = unverifiedClaims(value);
  if (status !== 200 || claims === undefined) return undefined;
  const { exp } = claims;
  return { value, lifetime: typeof exp === 'number' ? exp * 1000 - clock.wall() : 0 };
}
