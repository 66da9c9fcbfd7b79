import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { oauthError } from './document.ts';

/** A question to the token endpoint. */
export interface TokenRequest {
  /** The value of `Authorization`, if any. */
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

/** What a request asks, however wrong. */
export function readTokenRequest({ headers, body }: HttpRequest): TokenRequest {
  return { authorization: fieldOf(headers, 'authorization'), form: new URLSearchParams(body.toString()) };
}

/** RFC 6749, sections 3.2 and 4: the failure of a request that is no such question; undefined for one that is. */
export function flawOfForm({ headers, body }: HttpRequest): HttpReply | undefined {
  const type = fieldOf(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return oauthError(400, 'invalid_request', 'the body is no form');
  const form = new URLSearchParams(body.toString());
  const twice = [...new Set(form.keys())].find((name) => !REPEATABLE.has(name) && form.getAll(name).length > 1);
  if (twice !== undefined) return oauthError(400, 'invalid_request', `${twice} stands there more than once`);
  return form.has('grant_type') ? undefined : oauthError(400, 'invalid_request', 'grant_type is missing');
}

/** RFC 8693, section 2.1 */
const REPEATABLE = new Set(['audience', 'resource']);

function fieldOf(headers: HttpRequest['headers'], name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}
