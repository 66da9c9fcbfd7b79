import type { Socket } from 'node:net';
import { perObject } from '../base/per-object.ts';
import type { Source } from '../exchange/exchange.ts';

/** The other end of a connection. Asked for when it was just accepted: what is closed has no address any more. */
export function peerOf(socket: Socket): Source {
  const { remoteAddress, remotePort = 0, localAddress, localPort = 0 } = socket;
  return { address: plain(remoteAddress), port: remotePort, local: { address: plain(localAddress), port: localPort } };
}

/** An IPv4 address in IPv6 is that IPv4 address. */
function plain(address = ''): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** What is known of a connection when its first request comes. */
export function sourceOf(socket: Socket): Source {
  return known(socket).source ?? peerOf(socket);
}

/** Notes what is known of a connection for its requests. */
export function introduce(socket: Socket, source: Source): void {
  known(socket).source = source;
}

const known = perObject<Socket, { source?: Source }>(() => ({}));
