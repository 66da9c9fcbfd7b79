import type { Buffer } from 'node:buffer';
import { createHash, createHmac } from 'node:crypto';
import { rfc3339 } from '../../base/clock.ts';
import type { HeaderMap } from '../../base/headers.ts';
import type { Request } from '../../exchange/exchange.ts';

/** What cloud A knows a caller by. */
export interface SigningKeys {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Keys that were lent for a while come with one. */
  readonly sessionToken?: string;
}

/** What a signature holds for. */
export interface SigningScope {
  readonly region: string;
  readonly service: string;
  /** Milliseconds since 1970; the cloud refuses signatures that are older than some minutes. */
  readonly at: number;
}

export type Signable = Pick<Request, 'method' | 'authority' | 'target' | 'headers'> & { readonly body: Uint8Array };

/**
 * The header fields of the request with a signature of version 4 over method, host, path, query, body, and the fields
 * that matter to the cloud (BAUTH-012, BAUTH-013, BAUTH-021, BAUTH-022). Pure. Whatever changes the request afterwards
 * breaks it, so this is the last thing done to one.
 */
export function signV4(request: Signable, keys: SigningKeys, { region, service, at }: SigningScope): HeaderMap {
  const moment = timestamp(at);
  const headers = stampHeaders(request.headers, moment, keys.sessionToken);
  const signed = signedFields(headers, request.authority);
  const names = signed.map(([name]) => name).join(';');
  const day = moment.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const canonical = [
    request.method,
    ...canonicalTarget(request.target),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(request.body),
  ].join('\n');
  const claim = [ALGORITHM, moment, scope, sha256(canonical)].join('\n');
  const signature = hmac(signingKey(keys.secretKey, day, region, service), claim).toString('hex');
  const credential = `Credential=${keys.accessKey}/${scope}`;
  return headers.set('authorization', `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`);
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** `20250615T150640Z` */
function timestamp(at: number): string {
  return rfc3339(at).replaceAll(/[-:]|\.\d{3}/g, '');
}

/** What the client sent in the places of a signature is no part of ours. */
function stampHeaders(headers: HeaderMap, moment: string, sessionToken: string | undefined): HeaderMap {
  const own = headers.remove('x-amz-content-sha256', 'x-amz-security-token');
  const stamped = own.set('x-amz-date', moment);
  return sessionToken === undefined ? stamped : stamped.set('x-amz-security-token', sessionToken);
}

const SIGNED = /^(?:content-type|date|x-amzn?-(?!trace-id$).+)$/;

/** Fields in the order of their names, and their values without space that does not matter. Others may change on the way. */
function signedFields(headers: HeaderMap, authority: string): readonly (readonly [name: string, value: string])[] {
  const fields = Object.entries(headers.view())
    .filter(([name]) => SIGNED.test(name))
    .map(([name, value]) => [name, [value].flat().map(trimValue).join(',')] as const);
  return [...fields, ['host', authority] as const].toSorted(byName);
}

function trimValue(value: string): string {
  return value.trim().replaceAll(/\s+/g, ' ');
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : Number(one > other);
}

/** Path and query as both sides write them: the path is escaped once more than it is sent. */
function canonicalTarget(target: string): readonly [path: string, query: string] {
  const [path = '', query = ''] = splitAt(target, target.indexOf('?'));
  return [escapeText(normalisePath(path)).replaceAll('%2F', '/'), canonicalQuery(query)];
}

function splitAt(text: string, index: number): readonly string[] {
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function normalisePath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const slash = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.join('/')}${slash}`;
}

function canonicalQuery(query: string): string {
  // The `&` keeps a leading `?` from being dropped.
  const parameters = [...new URLSearchParams(`&${query}`)].map(
    ([name, value]) => [escapeText(name), escapeText(value)] as const,
  );
  return parameters
    .toSorted((one, other) => byName(one, other) || byName([one[1], ''], [other[1], '']))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** RFC 3986: everything but letters, digits and `-._~` is escaped. */
function escapeText(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function signingKey(secretKey: string, day: string, region: string, service: string): Uint8Array {
  return [day, region, service, 'aws4_request'].reduce<Uint8Array>(hmac, new TextEncoder().encode(`AWS4${secretKey}`));
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
