import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { View } from '../attachment/view.ts';
import type { Services } from '../credentials/services.ts';
import { countConnection, countHandshake } from '../telemetry/metrics/count-connection.ts';

/** Has a connection of a client counted when it is over, where anything is counted. */
export function countAtClose(
  socket: Socket,
  port: number,
  { view, services }: { readonly view: () => View; readonly services: Services },
): void {
  const metrics = services.telemetry?.metrics;
  if (metrics === undefined) return;
  socket.once('close', () => {
    countConnection(metrics, view(), { port, received: socket.bytesRead, sent: socket.bytesWritten });
  });
}

/** The same of a handshake, from now on; `result` tells what came of it. */
export function timeHandshake(
  port: number,
  { view, services, clock }: { readonly view: () => View; readonly services: Services; readonly clock: Clock },
): (result: 'ok' | 'failed') => void {
  const began = clock.monotonic();
  return (result) => {
    const metrics = services.telemetry?.metrics;
    if (metrics === undefined) return;
    countHandshake(metrics, view(), { port, result, seconds: (clock.monotonic() - began) / 1000 });
  };
}
