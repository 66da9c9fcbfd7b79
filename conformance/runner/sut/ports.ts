import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Endpoint } from './session.ts';

// Below the range from which systems take ports for outgoing connections, so that a port stays free between choice and use, and above
// those of the mocks.
const FIRST = 26_000;
const COUNT = 6_000;
// A run that starts implementations for hours (a gallery, a fuzzer) comes round to the ports it gave first.
const REMEMBERED = COUNT / 2;
const given = new Set<number>();

/** A TCP port of the loopback address that nobody listens on and that is none of the last 3,000 given out by this process. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    for (const oldest of given) {
      if (given.size <= REMEMBERED) break;
      given.delete(oldest);
    }
    return port;
  }
  throw new Error('no free port was found on 127.0.0.1');
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
