import type { Json } from '../../json.ts';
import type { Opened } from '../opened.ts';
import type { Sent } from '../transports/transport.ts';

/*
 * How a server shows that it does not speak the kind of revision it was spoken to in. One that has no sessions says so in
 * errors that older ones do not have.
 */

/** Whether what became of a request without a session says that the server wants one. */
export function wantsSession(sent: Sent): boolean {
  if (sent.kind !== 'refuses' || !HTTP_DENIALS.has(sent.answer.status)) return false;
  return !isPerRequestError(sent.error);
}

/** The same of the question who the server is, which servers with sessions do not know either. */
export function knowsNoDiscovery(opened: Opened): boolean {
  if (opened.kind === 'declines') return true;
  return opened.kind === 'refuses' && HTTP_DENIALS.has(opened.answer.status);
}

/** Whether what became of `initialize` says that the server has no sessions. */
export function hasNoSessions(opened: Opened): boolean {
  if (opened.kind === 'refuses') return HTTP_DENIALS.has(opened.answer.status) && isPerRequestError(opened.error);
  if (opened.kind !== 'declines' || !('error' in opened.response.outcome)) return false;
  return isPerRequestError(opened.response.outcome.error);
}

const HTTP_DENIALS: ReadonlySet<number> = new Set([400, 404, 405]);

/** Fields that do not match, capabilities that lack, a revision or a method that is unknown, `_meta` that lacks. */
const CODES: ReadonlySet<unknown> = new Set([-32_020, -32_021, -32_022, -32_601, -32_602]);

function isPerRequestError(error: Json | undefined): boolean {
  return error !== undefined && CODES.has(error['code']);
}
