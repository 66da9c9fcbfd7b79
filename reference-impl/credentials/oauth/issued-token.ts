import { refuseToSend } from '../refuse-to-send.ts';
import type { TokenAnswer } from '../token-endpoint.ts';
import { tokenTypeUri } from './token-types.ts';

/** What a token endpoint gave. */
export interface IssuedToken {
  readonly token: string;
  /** Milliseconds it is good for from the moment it was asked for; undefined when the endpoint says nothing about it. */
  readonly lifetime: number | undefined;
}

/**
 * The token of a good answer (RFC 6749, section 5.1; RFC 8693, section 2.2.1). `requested` is the URI of the type that was
 * asked for, if any. Throws backendAuthenticationFailed for an answer that is not what was asked for: a token of another
 * kind may open other doors.
 */
export function issuedToken({ members }: TokenAnswer, requested?: string): IssuedToken {
  const { access_token: token, token_type: type, issued_token_type: issued, expires_in: seconds } = members;
  if (typeof token !== 'string') return refuseToSend('token exchange response decode failed');
  if (token === '') return refuseToSend('token exchange response contained an empty access_token');
  if (typeof type !== 'string') return refuseToSend('token exchange response missing token_type');
  if (!isTypeFor(requested, type.toLowerCase())) return refuseToSend('token exchange returned unsupported token_type');
  if (!isIssuedFor(requested, issued)) return refuseToSend('token exchange returned another issued_token_type');
  return { token, lifetime: lifetimeOf(seconds) };
}

const ID_JAG = tokenTypeUri('IdJag');
const ACCESS_TOKEN = tokenTypeUri('AccessToken');

/** `N_A` is for what is no access token. docs/decisions/token-exchange.md */
function isTypeFor(requested: string | undefined, type: string): boolean {
  if (requested === ID_JAG) return type === 'n_a';
  return type === 'bearer' || (type === 'n_a' && requested !== undefined && requested !== ACCESS_TOKEN);
}

function isIssuedFor(requested: string | undefined, issued: unknown): boolean {
  if (requested === undefined) return true;
  return issued === requested || (issued === undefined && requested !== ID_JAG);
}

/** OAUTH-031. One that is no number of seconds is not trusted: the token is good for one use. */
function lifetimeOf(seconds: unknown): number | undefined {
  if (seconds === undefined || seconds === null) return undefined;
  return typeof seconds === 'number' ? seconds * 1000 : 0;
}
