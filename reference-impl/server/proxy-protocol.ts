import type { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import type { Source } from '../exchange/exchange.ts';
import type { ProxyProtocol } from '../resources/proxy-policy/fields/proxy-protocol.ts';
import { type Found, readFirstBytes, type Wait } from './first-bytes.ts';
import { type NoProxyHeader, parseProxyHeader, type ProxyHeader } from './proxy-header.ts';

/** Why a connection is closed. */
export type RefusedHeader = 'PROXY header missing' | 'PROXY header malformed' | 'PROXY header of another version';

/**
 * Reads the PROXY header in front of everything else, where the port has one, and gives the source that it names.
 * docs/decisions/proxy-protocol.md
 */
export async function readProxyHeader(
  socket: Socket,
  peer: Source,
  // FRONT-004, FRONT-005; FRONT-012: without the field nothing is read.
  settings: ProxyProtocol | undefined,
  wait: Wait,
): Promise<Source | RefusedHeader> {
  if (settings === undefined) return peer;
  const { version = 'V2', mode = 'Strict' } = settings;
  const found = await readFirstBytes(socket, findHeader, wait);
  // A client that has said nothing yet may be one that waits for us to speak, or one that connects ahead.
  if (found === 'timeout' && mode === 'Optional' && socket.readableLength === 0) return peer;
  if (typeof found === 'string') return 'PROXY header missing';
  if (found.value === 'malformed') return 'PROXY header malformed';
  // FRONT-006
  if (found.value === 'none') return mode === 'Optional' ? peer : 'PROXY header missing';
  // FRONT-007, FRONT-008, FRONT-009, FRONT-010
  if (version !== 'All' && version !== found.value.version) return 'PROXY header of another version';
  // FRONT-011
  const { client } = found.value;
  return client === undefined ? peer : { ...peer, ...client, raw: { address: peer.address, port: peer.port } };
}

function findHeader(bytes: Buffer): Found<ProxyHeader | Exclude<NoProxyHeader, 'incomplete'>> | undefined {
  const header = parseProxyHeader(bytes);
  if (header === 'incomplete') return undefined;
  return { value: header, taken: typeof header === 'string' ? 0 : header.length };
}
