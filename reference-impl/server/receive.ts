import type { IncomingMessage } from 'node:http';
import { endToEnd } from '../base/hop-by-hop.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Request } from '../exchange/exchange.ts';
import { requestBody } from './request-body.ts';

/**
 * The message as the pipeline sees it, or why it cannot be taken: without a usable Host, or with framing that two
 * readers could understand in two ways. `beforeBody` runs when somebody first wants the body.
 */
export function receive(message: IncomingMessage, beforeBody?: () => void): Request | ProxyError {
  const { method = '', url = '', rawHeaders, httpVersion } = message;
  const framing = framingOf(rawHeaders);
  if (framing.hosts > 1) return new ProxyError('invalidRequest', 'more than one Host');
  if (!isPlainFraming(framing, httpVersion)) return new ProxyError('invalidRequest', 'unsupported transfer coding');

  const place = method === 'CONNECT' ? { authority: url, target: url } : locate(url, framing.host);
  if (place === undefined || !AUTHORITY.test(place.authority)) return new ProxyError('invalidRequest', 'no valid Host');

  return {
    method,
    scheme: 'http',
    authority: place.authority,
    target: place.target,
    version: httpVersion === '1.0' ? 'HTTP/1.0' : 'HTTP/1.1',
    headers: endToEnd(rawHeaders, CONSUMED),
    body: hasBody(framing) ? requestBody(message, framing.length, beforeBody) : undefined,
  };
}

/** Fields the server itself acts on: Host becomes the authority, and Expect is answered here. */
const CONSUMED: ReadonlySet<string> = new Set(['host', 'expect']);

/** A registered name, an IPv4 address or an IPv6 literal, with or without port; never user information. */
const AUTHORITY = /^(?:\[[0-9a-fA-F:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d{0,5})?$/;

interface Framing {
  host: string;
  hosts: number;
  length: number | undefined;
  codings: string[] | undefined;
}

function framingOf(raw: readonly string[]): Framing {
  const framing: Framing = { host: '', hosts: 0, length: undefined, codings: undefined };
  for (let index = 0; index < raw.length; index += 2) {
    const value = raw[index + 1] ?? '';
    switch (raw[index]?.toLowerCase() ?? '') {
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

/** Origin form, absolute form (whose authority wins over Host) or `*`; nothing is decoded or normalised. */
function locate(url: string, host: string): { authority: string; target: string } | undefined {
  if (url.startsWith('/') || url === '*') return { authority: host, target: url };
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url);
  if (absolute === null) return undefined;
  const [, authority = '', rest = ''] = absolute;
  return { authority, target: rest.startsWith('/') ? rest : `/${rest}` };
}
