import type { Socket } from 'node:net';
import { parseDuration } from '../base/duration.ts';
import type { Keepalive } from '../resources/proxy-policy/fields/keepalive.ts';

/** FRONT-003: the kernel probes a client that has been silent for a while. Without the field it never does. */
export function keepAlive(socket: Socket, keepalive: Keepalive | undefined): void {
  if (keepalive === undefined) return;
  // FRONT-038
  const { time = '180s', interval = '180s', retries = 9 } = keepalive;
  socket.setKeepAlive({
    enable: true,
    initialDelay: parseDuration(time),
    interval: parseDuration(interval),
    count: retries,
  });
}
