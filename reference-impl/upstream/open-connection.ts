import type { Socket } from 'node:net';
import type { Endpoint } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import { dial, type DialOptions } from './dial.ts';
import { dialThrough } from './tunnel.ts';

/** What connections are opened with. */
export interface Dialer {
  readonly clock: Clock;
  readonly connected?: Connected | undefined;
}

/** Hears of every connection that became ready: what it is, and after how many milliseconds, handshakes included. */
export type Connected = (transport: TransportName, milliseconds: number) => void;

export type TransportName = 'plaintext' | 'tls' | 'tunnel' | 'tunnel-tls';

/**
 * A connection to the endpoint, through the proxy server where one stands in the way (TUNNEL-001). `done` gets the socket, ready to be
 * written to, or why there is none. Never throws.
 */
export function openConnection(
  endpoint: Endpoint,
  options: DialOptions,
  { clock, connected }: Dialer,
  done: (error: Error | null, socket: Socket | null) => void,
): void {
  const reach = options.tunnel === undefined ? dial : dialThrough;
  const began = clock.monotonic();
  try {
    reach(endpoint, options, clock, (error, socket) => {
      if (socket !== null) connected?.(transportOf(options), clock.monotonic() - began);
      done(error, socket);
    });
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)), null);
  }
}

function transportOf({ tls, tunnel }: DialOptions): TransportName {
  if (tunnel !== undefined) return tls === undefined ? 'tunnel' : 'tunnel-tls';
  return tls === undefined ? 'plaintext' : 'tls';
}
