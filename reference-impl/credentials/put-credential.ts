import { isFieldValue } from '../base/headers.ts';
import type { Request } from '../exchange/exchange.ts';
import { splitTarget } from '../exchange/request-state.ts';
import type { AuthorizationLocation } from '../resources/proxy-policy/fields/location.ts';
import { cookiePairs, splitCookie } from './cookie-pairs.ts';
import { queryParameter } from './query-parameter.ts';
import { refuseToSend } from './refuse-to-send.ts';

/**
 * The request with the credential at the location (BAUTH-003, BAUTH-033), which replaces what the client had there. Throws
 * backendAuthenticationFailed for a credential that cannot stand there.
 */
export function putCredential(
  request: Request,
  { header, queryParameter: parameter, cookie }: AuthorizationLocation,
  credential: string,
): Request {
  if (header !== undefined) return withField(request, header.name, `${header.prefix ?? ''}${credential}`);
  if (parameter !== undefined) return withParameter(request, parameter.name, credential);
  return cookie === undefined ? request : withCookie(request, cookie.name, credential);
}

function withField(request: Request, name: string, value: string): Request {
  if (!isFieldValue(value)) return refuseToSend(`the credential for ${name} cannot stand in a header`);
  return { ...request, headers: request.headers.set(name, value) };
}

function withParameter(request: Request, name: string, value: string): Request {
  const { path, query } = splitTarget(request.target);
  const others = query.split('&').filter((piece) => piece !== '' && queryParameter(piece)?.[0] !== name);
  const own = new URLSearchParams([[name, value]]).toString();
  return { ...request, target: `${path}?${[...others, own].join('&')}` };
}

function withCookie(request: Request, name: string, value: string): Request {
  const others = cookiePairs(request.headers).filter((pair) => splitCookie(pair)[0] !== name);
  return withField(request, 'cookie', [...others, `${name}=${value}`].join('; '));
}
