import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * Seconds until the kernel probes the other end of a connection for being silent, as the socket of the client has it: it stands in the
 * same table when both ends are on one Linux host. Null where that socket has no such timer running; undefined where it cannot be seen.
 */
export function keepaliveTimerOfClient({ remotePort, localPort }: Socket): number | null | undefined {
  if (remotePort === undefined || localPort === undefined) return undefined;
  for (const table of TABLES) {
    const row = rowsOf(table).find(([, local = '', remote = '']) => isAt(local, remotePort) && isAt(remote, localPort));
    const [kind, ticks = ''] = row?.[5]?.split(':') ?? [];
    if (row !== undefined) return kind === KEEPALIVE ? Number.parseInt(ticks, 16) / TICKS_PER_SECOND : null;
  }
  return undefined;
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** The kind of a timer that probes; others resend or wait for the end. */
const KEEPALIVE = '02';
/** USER_HZ, which is part of the interface of the kernel. */
const TICKS_PER_SECOND = 100;

/** Columns: number, local and remote address, state, queues, timer and when it ends. */
function rowsOf(table: string): readonly (readonly string[])[] {
  try {
    return readFileSync(table, 'latin1')
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
  } catch {
    return []; // no such table on this system
  }
}

function isAt(address: string, port: number): boolean {
  return address.endsWith(`:${port.toString(16).toUpperCase().padStart(4, '0')}`);
}
