import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Seconds until the other end sends a probe of keepalive, when the connection stays silent; undefined when it will send none. */
export interface ProbeDue {
  readonly within: number | undefined;
}

/**
 * What the kernel plans for the other end of a connection, where that is in the same network namespace: /proc/net/tcp lists
 * each socket with its timer. Undefined where it is not listed, or `limit` passes before the connection is silent.
 */
export async function probeDue(socket: Socket, limit: AbortSignal): Promise<ProbeDue | undefined> {
  const { localPort = 0, remotePort = 0 } = socket;
  while (!limit.aborted) {
    const row = await rowOf(remotePort, localPort);
    if (row === undefined) return undefined;
    const timer = timerOf(row);
    // As long as something is sent, or waits for its acknowledgement, the timer is about that.
    if (timer.kind === NONE) return { within: undefined };
    if (timer.kind === KEEPALIVE) return { within: timer.ticks / TICKS_PER_SECOND };
    await pause(10);
  }
  return undefined;
}

/** As the kernel numbers the timers of a connection. */
const NONE = 0;
const KEEPALIVE = 2;
const TICKS_PER_SECOND = 100;

async function rowOf(local: number, remote: number): Promise<readonly string[] | undefined> {
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(table, 'latin1').catch(() => '')).split('\n').slice(1);
    const rows = lines.map((line) => line.trim().split(/\s+/));
    const row = rows.find((cells) => portOf(cells[1]) === local && portOf(cells[2]) === remote);
    if (row !== undefined) return row;
  }
  return undefined;
}

/** Of `0100007F:1F90`, as all numbers of the table in hexadecimal. */
function portOf(address = ''): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16);
}

function timerOf(row: readonly string[]): { readonly kind: number; readonly ticks: number } {
  const [kind = '', ticks = ''] = (row[5] ?? '').split(':');
  return { kind: Number.parseInt(kind, 16), ticks: Number.parseInt(ticks, 16) };
}
