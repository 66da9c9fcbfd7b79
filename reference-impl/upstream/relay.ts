import type { Duplex } from 'node:stream';

/**
 * Passes bytes between two connections until both directions have ended, or one connection is gone; then the other one
 * ends too. `seen` is told what the upstream sends, before the client gets it. A slow reader slows its sender down.
 * Never rejects.
 */
export function relay(
  client: Duplex,
  first: Uint8Array,
  upstream: Duplex,
  seen: (bytes: Uint8Array) => void,
): Promise<void> {
  if (first.byteLength > 0) upstream.write(first);
  return new Promise((resolve) => {
    let open = 2;
    const closed = (other: Duplex) => () => {
      open -= 1;
      // What was passed on may still be on its way.
      other.end(() => other.destroy());
      other.resume();
      if (open === 0) resolve();
    };
    client.once('close', closed(upstream));
    upstream.once('close', closed(client));
    for (const connection of [client, upstream]) connection.on('error', () => connection.destroy());
    upstream.on('data', seen);
    client.pipe(upstream);
    upstream.pipe(client);
    for (const connection of [client, upstream]) if (connection.destroyed) connection.emit('close');
  });
}
