import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HeaderMap } from '../base/headers.ts';
import { errorFields, type Log } from '../base/log.ts';
import type { Answer } from '../exchange/exchange.ts';

/** A connection on which the client wants to go on with another protocol. */
export interface Upgrade {
  readonly socket: Duplex;
  /** What the client sent behind its request. */
  readonly first: Uint8Array;
}

export const TUNNEL = 'tunnel' as const;

/**
 * The protocol a request asks to go on with on its connection (RFC 9110, section 7.8), as WebSocket handshakes do (RFC 6455, section 4.2.1). Undefined for
 * requests with a body, for a choice of several protocols, and for protocols of the connection to the proxy itself: they are served as if they had not asked.
 * docs/decisions/http-version.md
 */
export function protocolAskedFor({
  method,
  httpVersion,
  headers,
}: Pick<IncomingMessage, 'method' | 'httpVersion' | 'headers'>): string | undefined {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (method !== 'GET' || httpVersion !== '1.1' || hasBody) return undefined;
  const protocol = headers.upgrade?.toLowerCase() ?? '';
  return PROTOCOL.test(protocol) && !OF_THE_CONNECTION.test(protocol) ? protocol : undefined;
}

const PROTOCOL = /^[\w!#$%&'*+.^`|~-]+(?:\/[\w!#$%&'*+.^`|~-]+)?$/;

/** HTTP and TLS of the next hop are for the next hop to agree upon; a backend that took them over would be out of sight of every policy. */
const OF_THE_CONNECTION = /^(?:h2c?|h3|http|https|tls|ssl|tunnel)(?:\/|$)/;

/** The server forgets a connection that asks for another protocol: what it fails with ends it. */
export function endOnError(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
}

/** An answer that goes on with the protocol. */
export type Switching = Answer & Required<Pick<Answer, 'takeOver'>>;

export function switches(answer: Answer): answer is Switching {
  return answer.takeOver !== undefined && SWITCHES.has(answer.status);
}

/** A policy that made another status of it wants another answer. */
const SWITCHES: ReadonlySet<number> = new Set([101, 200]);

/** The answer as one that ends here: nobody takes over the connection of its endpoint, so that is given up. */
export function withoutTakeOver(answer: Answer): Answer {
  if (answer.takeOver === undefined) return answer;
  const { takeOver: _, ...own } = answer;
  answer.body?.cancel();
  return { ...own, body: undefined };
}

/** Sends the head and gives the connection to the answer. Resolves when it is over; never rejects. */
export async function switchProtocol(
  response: ServerResponse,
  { headers, body, takeOver }: Switching,
  { socket, first }: Upgrade,
  log: Log,
): Promise<void> {
  try {
    response.sendDate = false;
    if (response.req.method === 'CONNECT') {
      // RFC 9110, section 9.3.6: behind this head stands no body, but the tunnel.
      response.detachSocket(response.req.socket);
      socket.write(`HTTP/1.1 200 OK\r\n${fieldLines(headers)}\r\n`, 'latin1');
    } else {
      const protocol = protocolAskedFor(response.req) ?? '';
      response.writeHead(101, [...headers.set('connection', 'Upgrade').set('upgrade', protocol).toRaw()]);
      response.flushHeaders();
      response.detachSocket(response.req.socket);
    }
  } catch (error) {
    log.info('answer cut', errorFields(error));
    socket.destroy();
  }
  // A connection that is gone by now ends at once.
  await takeOver(socket, first);
  // Its end is what policies wait for.
  await body?.read();
}

/** Throws when policies made fields that HTTP cannot carry. */
function fieldLines(headers: HeaderMap): string {
  let lines = '';
  for (const [name, value] of headers.remove('content-length')) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
