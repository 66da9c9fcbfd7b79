import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * Seconds until the kernel probes the other end of a connection for being silent, as the socket of the client has it: it stands in the
 * same table when both ends are on one Linux host. Null where that socket has no such timer running; undefined where it cannot be seen.
 */
export function keepaliveTimerOfClient({ remotePort, localPort }: Socket): number | null | undefined {
  if (remotePort === undefined || localPort === undefined) return undefined;
  // With hundreds of connections most of the time would go into the columns of others.
  const ofClient = new RegExp(String.raw`^ *\d+: \w+:${inHex(remotePort)} \w+:${inHex(localPort)} .*$`, 'm');
  for (const table of TABLES) {
    const [row] = ofClient.exec(textOf(table)) ?? [];
    const [kind, ticks = ''] = row?.trim().split(/\s+/)[5]?.split(':') ?? [];
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
function textOf(table: string): string {
  try {
    return readFileSync(table, 'latin1');
  } catch {
    return ''; // no such table on this system
  }
}

function inHex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
