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
export function flawOfForm(request: HttpRequest): HttpReply | undefined {
  const { authorization, form } = readTokenRequest(request);
  const type = fieldOf(request.headers, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return oauthError(400, 'invalid_request', 'the body is no form');
  if (isInTarget(request)) return oauthError(400, 'invalid_request', 'what is asked stands in the body alone');
  if (authorization?.includes(', ') === true) return oauthError(400, 'invalid_request', 'there are two clients');
  const twice = [...new Set(form.keys())].find((name) => !REPEATABLE.has(name) && form.getAll(name).length > 1);
  if (twice !== undefined) return oauthError(400, 'invalid_request', `${twice} stands there more than once`);
  if (!form.has('grant_type')) return oauthError(400, 'invalid_request', 'grant_type is missing');
  return SCOPES.test(form.get('scope') ?? 'any') ? undefined : oauthError(400, 'invalid_scope', 'no scopes are these');
}

/** RFC 6749, section 2.3.1: a secret never stands in a URI, where logs would have it; nor does the rest of the question. */
function isInTarget({ target }: HttpRequest): boolean {
  const names = [...new URLSearchParams(target.split('?')[1]).keys()];
  return names.some((name) => ['grant_type', 'client_id', 'assertion'].includes(name) || SECRET.test(name));
}

const SECRET = /^client_(?:secret|assertion)$|^(?:subject|actor)_token$/;

/** RFC 6749, section 3.3 */
const SCOPES = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

/** RFC 8693, section 2.1 */
const REPEATABLE = new Set(['audience', 'resource']);

function fieldOf(headers: HttpRequest['headers'], name: string): string | undefined {
  const values = headers.flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []));
  return values.length === 0 ? undefined : values.join(', ');
}
