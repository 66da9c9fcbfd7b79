import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { type Missing, readFirstBytes, type Wait } from './first-bytes.ts';

/** Which HTTP a client speaks; nothing of what it said is used up. HTTP/2 begins with a preface that is no HTTP/1 (RFC 9113, section 3.4). */
export async function httpVersionOf(socket: Socket, wait: Wait): Promise<'HTTP/1' | 'HTTP/2' | Missing> {
  const found = await readFirstBytes(socket, findVersion, wait);
  if (typeof found === 'string') return found;
  return BY_ALPN.get('alpnProtocol' in socket ? socket.alpnProtocol : undefined) ?? found.value;
}

/** What was agreed upon in the handshake holds, whatever comes then; without ALPN the first bytes tell. */
const BY_ALPN: ReadonlyMap<unknown, 'HTTP/1' | 'HTTP/2'> = new Map([
  ['h2', 'HTTP/2'],
  ['http/1.1', 'HTTP/1'],
]);

function findVersion(bytes: Buffer): { readonly value: 'HTTP/1' | 'HTTP/2'; readonly taken: 0 } | undefined {
  const begun = bytes.subarray(0, PREFACE.length);
  if (!PREFACE.subarray(0, begun.length).equals(begun)) return { value: 'HTTP/1', taken: 0 };
  return begun.length === PREFACE.length ? { value: 'HTTP/2', taken: 0 } : undefined;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
