import { compileOrFail } from '../cel/compile.ts';
import type { VariableSource } from '../cel/program.ts';
import type { HeaderMap } from '../base/headers.ts';
import type { Request } from '../exchange/exchange.ts';
import { splitTarget } from '../exchange/request-state.ts';
import type { AuthorizationExtractionLocation } from '../resources/proxy-policy/fields/location.ts';
import { cookiePairs, splitCookie } from './cookie-pairs.ts';
import { queryParameter } from './query-parameter.ts';

/** Where a policy looks for the credential of a client, ready to look. */
export interface CredentialLocation {
  /** The location is an expression that reads the request body, so that must be read first (`prepareRequest`). */
  readonly readsBody: boolean;
  /** What the client shows there; undefined when nothing is there, or only an empty text. Never throws. */
  readonly extract: (request: Request, variables: VariableSource) => ShownCredential | undefined;
}

export interface ShownCredential {
  /** Without the prefix of the location. */
  readonly credential: string;
  /** The request without it. What an expression computed cannot be removed: the request stays as it is. */
  readonly remove: (request: Request) => Request;
}

/** Compiles a location of client authentication (JWT-017, JWT-018, APIKEY-017, BASIC-016). Never throws. */
export function credentialLocation(location: AuthorizationExtractionLocation): CredentialLocation {
  const { header, queryParameter: parameter, cookie, expression } = location;
  if (header !== undefined) return inHeader(header.name, header.prefix ?? '');
  if (parameter !== undefined) return inQuery(parameter.name);
  if (cookie !== undefined) return inCookie(cookie.name);
  return fromExpression(expression ?? 'null');
}

/** A field whose value does not begin with the prefix shows nothing. The prefix is compared without regard to case. */
function inHeader(name: string, prefix: string): CredentialLocation {
  const expected = asciiLowerCase(prefix);
  const begins = (value: string): boolean =>
    value.startsWith(prefix) || asciiLowerCase(value.slice(0, prefix.length)) === expected;
  const remove = (request: Request): Request => ({ ...request, headers: request.headers.remove(name) });
  return {
    readsBody: false,
    extract: ({ headers }) => {
      const value = headers.get(name);
      if (value === undefined || !begins(value)) return undefined;
      return showCredential(value.slice(prefix.length), remove);
    },
  };
}

/** The first parameter of the name; all of the name are removed, the rest of the query stays byte for byte. */
function inQuery(name: string): CredentialLocation {
  const isOther = (piece: string): boolean => queryParameter(piece)?.[0] !== name;
  const remove = (request: Request): Request => {
    const { path, query } = splitTarget(request.target);
    const rest = query.split('&').filter(isOther);
    return { ...request, target: rest.length === 0 ? path : `${path}?${rest.join('&')}` };
  };
  return {
    readsBody: false,
    extract: ({ target }) => {
      for (const piece of splitTarget(target).query.split('&')) {
        const found = queryParameter(piece);
        if (found?.[0] === name) return showCredential(found[1], remove);
      }
      return undefined;
    },
  };
}

/** The first cookie of the name; all of the name are removed, and a field `Cookie` in which nothing is left. */
function inCookie(name: string): CredentialLocation {
  const isOther = (pair: string): boolean => splitCookie(pair)[0] !== name;
  const remove = (request: Request): Request => ({ ...request, headers: withoutCookies(request.headers, isOther) });
  return {
    readsBody: false,
    extract: ({ headers }) => {
      for (const pair of cookiePairs(headers)) {
        const [key, value] = splitCookie(pair);
        if (key === name) return showCredential(value, remove);
      }
      return undefined;
    },
  };
}

/** A text; any other value, and an expression that fails, is no credential. */
function fromExpression(text: string): CredentialLocation {
  const program = compileOrFail(text);
  return {
    readsBody: program.bodies.has('request'),
    extract: (_, variables) => {
      const evaluation = program.evaluate(variables);
      return evaluation.ok && typeof evaluation.value === 'string'
        ? showCredential(evaluation.value, keepRequest)
        : undefined;
    },
  };
}

function showCredential(credential: string, remove: ShownCredential['remove']): ShownCredential | undefined {
  return credential === '' ? undefined : { credential, remove };
}

function keepRequest(request: Request): Request {
  return request;
}

function withoutCookies(headers: HeaderMap, keep: (pair: string) => boolean): HeaderMap {
  const rest = cookiePairs(headers).filter(keep);
  return rest.length === 0 ? headers.remove('cookie') : headers.set('cookie', rest.join('; '));
}

function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
