import { createSocket } from 'node:dgram';
import { mkdir, open, stat, utimes } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Endpoint } from './session.ts';
import { wallClock } from '../values/wall-clock.ts';

// Below the range from which systems take ports for outgoing connections, so that a port stays free between choice and use, and above
// those of the mocks.
const FIRST = 26_000;
const COUNT = 6_000;
// A run that starts implementations for hours (a gallery, a fuzzer) comes round to the ports it gave first.
const REMEMBERED = COUNT / 2;
const given = new Set<number>();

/**
 * A TCP port of the loopback address that nobody listens on and that is none of the last 3,000 given out by this process. What other
 * processes gave out a moment ago stands in a folder: on a busy machine an implementation may take seconds until it listens there, and
 * whoever found the port free meanwhile would answer for it.
 */
export async function freePort(leases = LEASES): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    // Before anything is awaited: cases are prepared at the same time, and two of them must not find one port free.
    given.add(port);
    // Where nearly all are leased, one that is free has to do.
    const isLeft = (await lease(port, leases)) || attempt > 150;
    if (!isLeft || !(await isFree(port))) {
      given.delete(port);
      continue;
    }
    for (const oldest of given) {
      if (given.size <= REMEMBERED) break;
      given.delete(oldest);
    }
    return port;
  }
  throw new Error('no free port was found on 127.0.0.1');
}

/** One empty file for each port, of every process of this user. */
const LEASES = path.join(tmpdir(), `conform-ports-${process.getuid?.() ?? 'all'}`);
/** Milliseconds after which whoever took a port listens there, or never will. */
const LEASE = 60_000;
const mine = new Set<number>();

/** False when another process took the port a moment ago. */
async function lease(port: number, folder: string): Promise<boolean> {
  if (mine.has(port)) return true;
  const file = path.join(folder, String(port));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await (await open(file, 'wx')).close();
  } catch {
    // Where nothing can be written, nobody can tell.
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: -Infinity }));
    const now = wallClock();
    if (Math.abs(now - mtimeMs) < LEASE) return false;
    await utimes(file, now / 1000, now / 1000).catch(() => {});
  }
  mine.add(port);
  return true;
}

const ways = new LRUCache<string, string>({ max: 1000 });

/** The address this machine connects from to an endpoint; nothing is sent to find it out. */
export async function addressTowards(endpoint: Endpoint): Promise<string> {
  const known = ways.get(endpoint.host);
  if (known !== undefined) return known;
  const found = await findWay(endpoint);
  if (found !== undefined) ways.set(endpoint.host, found);
  return found ?? '127.0.0.1'; // no way to it at all: the steps of the case will say so
}

async function findWay({ host, port }: Endpoint): Promise<string | undefined> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => socket.once('error', reject).connect(port, host, resolve));
    return socket.address().address;
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
}

const CONNECT_LIMIT_MS = 500;

/** Whether somebody accepts connections there. */
export async function listens({ host, port }: Endpoint): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_LIMIT_MS });
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy());
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
