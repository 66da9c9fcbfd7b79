import type { Socket } from 'node:net';
import type { View } from '../attachment/view.ts';
import type { Services } from '../credentials/services.ts';
import { countConnection } from '../telemetry/metrics/count-connection.ts';

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
