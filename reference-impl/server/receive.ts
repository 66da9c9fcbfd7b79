import type { IncomingMessage } from 'node:http';
import { HeaderMap } from '../base/headers.ts';
import { endToEnd } from '../base/hop-by-hop.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Request } from '../exchange/exchange.ts';
import { incoming, requestBody, type Reading } from './request-body.ts';

/** What the server knows of a message beside the message itself. */
export interface Reception {
  /** What stands behind the target in the request line, as far as it was read. */
  readonly protocol?: string;
  readonly scheme: Request['scheme'];
  /** How its body is read. */
  readonly reading: Reading;
}

/**
 * The message as the pipeline sees it, or why it cannot be taken: of another protocol, for a target that is no path, without a usable
 * Host, or with framing that two readers could understand in two ways.
 */
export function receive(message: IncomingMessage, { protocol, scheme, reading }: Reception): Request | ProxyError {
  const { method = '', url = '', rawHeaders, httpVersion } = message;
  // FRONT-019: more than any listener takes are not even looked at.
  if (rawHeaders.length > 2 * MOST_FIELDS) return new ProxyError('tooManyHeaders');
  if (!PROTOCOL.test(protocol ?? `HTTP/${httpVersion}`)) return new ProxyError('versionNotSupported');
  if (!isWellFormed(url, method)) return new ProxyError('invalidRequest', 'malformed request target');
  // RFC 9110, section 9.3.7: about the server in general, and so for no backend.
  if (url === '*') return new ProxyError('routeNotFound', 'no backend is asked about the server in general');
  const fields = HeaderMap.fromRaw(rawHeaders);
  const framing = framingOf(fields);
  // RFC 9112, section 3.2: also where the target names a host.
  if (framing.hosts === 0 && httpVersion === '1.1' && method !== 'CONNECT')
    return new ProxyError('invalidRequest', 'no Host');
  if (framing.hosts > 1) return new ProxyError('invalidRequest', 'more than one Host');
  if (!isPlainFraming(framing, httpVersion)) return new ProxyError('invalidRequest', 'unsupported transfer coding');

  // A CONNECT names no path; routes match it as they match the root. docs/decisions/connect.md
  const place = method === 'CONNECT' ? { authority: url, target: '/' } : locate(url, framing.host);
  if (place === undefined || !isAuthority(place.authority)) return new ProxyError('invalidRequest', 'no valid Host');

  return {
    method,
    scheme,
    authority: place.authority,
    target: place.target,
    version: httpVersion === '1.0' ? 'HTTP/1.0' : 'HTTP/1.1',
    headers: endToEnd(fields, CONSUMED),
    fieldCount: rawHeaders.length / 2,
    announced: framing.trailer,
    body:
      hasBody(framing) && method !== 'CONNECT' ? requestBody(incoming(message), framing.length, reading) : undefined,
  };
}

/** LIMIT-014: the largest http1MaxHeaders. */
export const MOST_FIELDS = 4096;

/** RFC 9112, section 2.3. The parser of Node also takes HTTP/0.9 and HTTP/2.0, and lines of RTSP and ICE. */
const PROTOCOL = /^HTTP\/1\.[01]$/;

/**
 * RFC 9112, section 3.2: a target is visible ASCII without a fragment (`#` never stands in it, and who forwards it lets two readers see
 * two paths), and `*` is for OPTIONS alone.
 */
export function isWellFormed(target: string, method: string): boolean {
  return TARGET.test(target) && (target !== '*' || method === 'OPTIONS');
}

const TARGET = /^[!"$-~]+$/;

/** Fields the server itself acts on: Host becomes the authority, and Expect is answered here. */
const CONSUMED: ReadonlySet<string> = new Set(['host', 'expect']);

/** Whether the text can be the Host of a request. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

/** A registered name, an IPv4 address or an IPv6 literal, with or without port; never user information. */
const AUTHORITY = /^(?:\[[0-9a-fA-F:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d{0,5})?$/;

interface Framing {
  host: string;
  hosts: number;
  length: number | undefined;
  codings: string[] | undefined;
  trailer: string | undefined;
}

function framingOf(fields: HeaderMap): Framing {
  const framing: Framing = { host: '', hosts: 0, length: undefined, codings: undefined, trailer: undefined };
  const raw = fields.toRaw();
  const names = fields.names();
  for (let index = 0; index < names.length; index += 1) {
    const value = raw[index * 2 + 1] ?? '';
    switch (names[index] ?? '') {
      case 'host':
        framing.host = value;
        framing.hosts += 1;
        break;
      case 'content-length':
        framing.length = Number(value);
        break;
      case 'transfer-encoding':
        (framing.codings ??= []).push(value.trim().toLowerCase());
        break;
      case 'trailer':
        framing.trailer = value;
        break;
      default:
    }
  }
  return framing;
}

/** Only what every HTTP/1 reader understands alike: one `chunked`, and not on HTTP/1.0. */
function isPlainFraming({ codings }: Framing, httpVersion: string): boolean {
  return codings === undefined || (codings.length === 1 && codings[0] === 'chunked' && httpVersion !== '1.0');
}

function hasBody({ length, codings }: Framing): boolean {
  return codings !== undefined || (length !== undefined && length > 0);
}

/**
 * Origin form, or absolute form (whose authority wins over Host); nothing is decoded or normalised.
 * docs/guide/paths.md
 */
function locate(url: string, host: string): { authority: string; target: string } | undefined {
  if (url.startsWith('/')) return { authority: host, target: url };
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url);
  if (absolute === null) return undefined;
  const [, authority = '', rest = ''] = absolute;
  return { authority, target: rest.startsWith('/') ? rest : `/${rest}` };
}
