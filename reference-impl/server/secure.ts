import type { Socket } from 'node:net';
import type { BindView } from '../attachment/view.ts';

/** The connection that requests are read from: the one that was accepted, or TLS on it where the listeners of the port say so. */
export function secure(socket: Socket, _bind: BindView): Socket | Promise<Socket | undefined> {
  return socket;
}
