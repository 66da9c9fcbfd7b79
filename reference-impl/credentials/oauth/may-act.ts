import { isDeepStrictEqual } from 'node:util';
import { unverifiedClaims } from './unverified-claims.ts';

/**
 * OAUTH-035: whether the subject lets the actor act for it: it has `may_act` (RFC 8693, section 4.4), and the actor is
 * everything that says. Neither signature is looked at here; the token endpoint does that. docs/decisions/token-exchange.md
 */
export function mayAct(subject: string, actor: string): boolean {
  const allowed = unverifiedClaims(subject)?.['may_act'];
  const claims = unverifiedClaims(actor);
  if (claims === undefined || typeof allowed !== 'object' || allowed === null || Array.isArray(allowed)) return false;
  const members = Object.entries(allowed);
  return members.length > 0 && members.every(([name, value]) => isDeepStrictEqual(claims[name], value));
}
