import type { ServerHttp2Stream } from 'node:http2';
import { HeaderMap } from '../base/headers.ts';
import { endToEnd } from '../base/hop-by-hop.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Request } from '../exchange/exchange.ts';
import { isAuthority, isWellFormed } from './receive.ts';
import { requestBody, type Reading } from './request-body.ts';

export interface Http2Reception {
  readonly scheme: Request['scheme'];
  /** Trailers that have come, name, value, name, value, … */
  readonly rawTrailers: () => readonly string[];
  readonly reading: Reading;
}

/**
 * A request of HTTP/2 as the pipeline sees it, or why it cannot be taken. What RFC 9113, section 8, calls malformed (a pseudo-header
 * twice or missing, upper case, fields of a connection) has not come this far: Node resets its stream.
 */
export function receiveHttp2(
  stream: ServerHttp2Stream,
  raw: readonly string[],
  { scheme, rawTrailers, reading }: Http2Reception,
): Request | ProxyError {
  const { method = '', authority: named, path = '' } = pseudoHeaders(raw);
  const host = valueOf(raw, 'host');
  const authority = named ?? host ?? '';
  // RFC 9113, section 8.3.1
  if (host !== undefined && host !== authority) return new ProxyError('invalidRequest', 'Host is not :authority');
  const target = method === 'CONNECT' ? '/' : path;
  if (!isWellFormed(target, method)) return new ProxyError('invalidRequest', 'malformed request target');
  // RFC 9110, section 9.3.7: about the server in general, and so for no backend.
  if (target === '*') return new ProxyError('routeNotFound', 'no backend is asked about the server in general');
  if (method !== 'CONNECT' && !target.startsWith('/')) return new ProxyError('invalidRequest', 'the target is no path');
  if (!isAuthority(authority)) return new ProxyError('invalidRequest', 'no valid Host');
  return {
    method,
    scheme,
    authority,
    target,
    version: 'HTTP/2.0',
    headers: endToEnd(HeaderMap.fromRaw(withOneCookie(raw.slice(fieldsFrom(raw)))), CONSUMED),
    announced: valueOf(raw, 'trailer'),
    body: stream.endAfterHeaders ? undefined : bodyOf(stream, raw, rawTrailers, reading),
  };
}

const CONSUMED: ReadonlySet<string> = new Set(['host', 'expect']);

function pseudoHeaders(raw: readonly string[]): { method?: string; authority?: string; path?: string } {
  const pairs = raw.slice(0, fieldsFrom(raw));
  return Object.fromEntries(pairs.flatMap((name, at) => (at % 2 === 0 ? [[name.slice(1), pairs[at + 1] ?? '']] : [])));
}

/** Pseudo-headers come first. */
function fieldsFrom(raw: readonly string[]): number {
  const first = raw.findIndex((name, at) => at % 2 === 0 && !name.startsWith(':'));
  return first === -1 ? raw.length : first;
}

function valueOf(raw: readonly string[], wanted: string): string | undefined {
  const at = raw.findIndex((name, index) => index % 2 === 0 && name === wanted);
  return at === -1 ? undefined : raw[at + 1];
}

/** RFC 9113, section 8.2.3: the pieces that compression likes are one field everywhere else. */
function withOneCookie(raw: readonly string[]): readonly string[] {
  const pieces = raw.filter((_, at) => at % 2 === 1 && raw[at - 1] === 'cookie');
  if (pieces.length < 2) return raw;
  const others = raw.filter((_, at) => raw[at - (at % 2)] !== 'cookie');
  return [...others, 'cookie', pieces.join('; ')];
}

function bodyOf(
  stream: ServerHttp2Stream,
  raw: readonly string[],
  rawTrailers: () => readonly string[],
  reading: Reading,
): Request['body'] {
  const length = valueOf(raw, 'content-length');
  const message = {
    stream,
    isComplete: () => false,
    // A stream that is reset ends like one that has come to its end; one whose connection is gone does not end any more.
    isBrokenOff: () =>
      stream.rstCode !== 0 || (stream.closed && !stream.writableEnded) || (stream.destroyed && !stream.readableEnded),
    rawTrailers,
  };
  return requestBody(message, length === undefined ? undefined : Number(length), reading);
}
