import type { Json } from '../../../json.ts';
import type { ValuesByName } from '../../../values-by-name.ts';
import type { Problem } from './format.ts';

/**
 * An API key in its own field or, as all services of cloud C take it, in the query; or a bearer token. The real one takes no API key there, but
 * the documents put a key whose place nobody names there (BAUTH-002): which of them it was, a case reads from the headers.
 */
export function googleCredentialProblem(
  headers: ValuesByName,
  key: string | undefined,
  target: string,
): Problem | undefined {
  if (key === undefined) return undefined;
  const given = headers['x-goog-api-key'] ?? queryOf(target).get('key') ?? bearerToken(headers);
  if (typeof given !== 'string' || given === '')
    return { status: 401, message: 'Request is missing required authentication credential.' };
  return given === key ? undefined : { status: 400, message: 'API key not valid.' };
}

/** What stands behind the question mark. */
export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(target.split('?', 2)[1]);
}

/** For services that take no API keys. */
export function accessTokenProblem(headers: ValuesByName, key: string | undefined): Problem | undefined {
  if (key === undefined) return undefined;
  const given = accessToken(headers);
  if (given === undefined) return { status: 401, message: 'Expected OAuth 2 access token.' };
  return given === key ? undefined : { status: 401, message: 'Request had invalid authentication credentials.' };
}

/** An API key is no access token. */
function accessToken(headers: ValuesByName): string | undefined {
  const token = bearerToken(headers);
  return token?.startsWith('AIza') === true ? undefined : token;
}

function bearerToken({ authorization }: ValuesByName): string | undefined {
  return typeof authorization === 'string' ? /^Bearer (\S+)$/.exec(authorization)?.[1] : undefined;
}

/** The error document of these services. */
export function googleError({ status, message, type }: Problem): Json {
  return {
    error: { code: status, message, status: type ?? STATUSES[status] ?? (status >= 500 ? 'INTERNAL' : 'UNKNOWN') },
  };
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};
