import type { Socket } from 'node:net';
import type { Endpoint } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import { dial, type DialOptions } from './dial.ts';
import { dialThrough } from './tunnel.ts';

/**
 * A connection to the endpoint, through the proxy server where one stands in the way (TUNNEL-001). `done` gets the socket, ready to be
 * written to, or why there is none. Never throws.
 */
export function openConnection(
  endpoint: Endpoint,
  options: DialOptions,
  clock: Clock,
  done: (error: Error | null, socket: Socket | null) => void,
): void {
  const reach = options.tunnel === undefined ? dial : dialThrough;
  try {
    reach(endpoint, options, clock, done);
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)), null);
  }
}
