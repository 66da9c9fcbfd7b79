import type { Socket } from 'node:net';
import { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Request, Source } from '../exchange/exchange.ts';
import type { Switching } from './upgrade.ts';

/** Lets a connection in at a data port as if it had been accepted there. */
export type Enter = (socket: Socket, source: Source) => void;

/**
 * CONNECT-004: the answer to a CONNECT whose connection goes on as a new one at the port that it names, or why it does not. Everything
 * that holds for connections there holds for this one (CONNECT-005). docs/decisions/connect.md
 */
export function innerConnection(
  { authority, headers }: Request,
  { socket, source }: { readonly socket: Socket; readonly source: Source },
  enterAt: (port: number) => Enter | undefined,
): Switching | ProxyError {
  const [, port] = /:(\d{1,5})$/.exec(authority) ?? [];
  if (port === undefined) return new ProxyError('invalidRequest', 'CONNECT without a port');
  const enter = enterAt(Number(port));
  if (enter === undefined) return new ProxyError('listenerNotFound', 'nobody listens on the port that CONNECT names');
  return {
    status: 200,
    headers: HeaderMap.of([]),
    body: undefined,
    from: 'policy',
    takeOver: (_, first) => {
      if (first.byteLength > 0) socket.unshift(first);
      const local = source.local && { ...source.local, port: Number(port) };
      enter(socket, { ...source, ...(local && { local }), connectHeaders: headers });
      return Promise.resolve();
    },
  };
}
