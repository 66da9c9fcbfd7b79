import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Contender } from './contenders.ts';

const AT_A_TIME = 16;

/** Handshakes of TLS 1.3 per second; with `resumed` each takes up a session, and it is checked that it does. */
export async function handshakesPerSecond({ tls }: Contender, milliseconds: number, resumed: boolean): Promise<number> {
  const session = resumed ? await ticketOf(tls) : undefined;
  const began = performance.now();
  let count = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - began < milliseconds) {
      const socket = await shake(tls, session);
      if (socket.isSessionReused() !== resumed) throw new Error(`a session was ${resumed ? 'not ' : ''}taken up`);
      socket.destroy();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return count / ((performance.now() - began) / 1000);
}

function shake(port: number, session: Buffer | undefined, onTicket?: (ticket: Buffer) => void): Promise<TLSSocket> {
  const names = { servername: 'bench.test', ALPNProtocols: ['http/1.1'], rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ...names, ...(session && { session }) }, () => resolve(socket));
    socket.once('error', reject);
    if (onTicket !== undefined) socket.on('session', onTicket);
  });
}

/** A ticket may come with the end of the handshake, or behind it. */
async function ticketOf(port: number): Promise<Buffer> {
  const { promise: ticket, resolve: keep } = Promise.withResolvers<Buffer>();
  const socket = await shake(port, undefined, keep);
  socket.resume().write('GET / HTTP/1.1\r\nHost: bench.test\r\n\r\n');
  const session = await ticket;
  socket.destroy();
  return session;
}

/** Requests/s that `h2load` (package nghttp2-client) gets answered; undefined without it. All must be answered with 200. */
export function requestsPerSecond(
  { http, tls }: Contender,
  version: 'http1' | 'http1s' | 'h2',
  seconds: number,
): number | undefined {
  const address = version === 'http1' ? `http://127.0.0.1:${http}/` : `https://127.0.0.1:${tls}/`;
  // As many requests at a time: 32, over HTTP/2 on 4 connections.
  const shape = version === 'h2' ? ['-c', '4', '-m', '8'] : ['--h1', '-c', '32'];
  const { stdout, error } = spawnSync('h2load', ['-D', String(seconds), ...shape, address], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: (seconds + 20) * 1000,
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return undefined;
  if (error !== undefined) throw error;
  const failed = /(\d+) failed, (\d+) errored/.exec(stdout);
  const others = /(\d+) 3xx, (\d+) 4xx, (\d+) 5xx/.exec(stdout);
  const wrong = [...(failed ?? ['', 'none']).slice(1), ...(others ?? ['', 'none']).slice(1)];
  if (wrong.some((times) => times !== '0')) throw new Error(`not every request was answered: ${stdout}`);
  return Number(/, ([\d.]+) req\/s/.exec(stdout)?.[1]);
}

/** Megabytes/s of one large body, and by how many the proxy's memory grew meanwhile at most. */
export async function throughput(
  { http, pid }: Contender,
  megabytes: number,
): Promise<{ readonly rate: number; readonly grown: number }> {
  const before = residentMegabytes(pid);
  let most = before;
  let bytes = 0;
  const began = performance.now();
  await new Promise<void>((resolve, reject) => {
    const socket = connectTcp(http, '127.0.0.1');
    socket.write(`GET /big?${megabytes} HTTP/1.1\r\nHost: bench.test\r\nConnection: close\r\n\r\n`);
    socket.on('error', reject).on('close', () => resolve());
    let looked = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes - looked < 16 * 1024 * 1024) return;
      looked = bytes;
      most = Math.max(most, residentMegabytes(pid));
    });
  });
  if (bytes < megabytes * 1024 * 1024) throw new Error(`the body ended after ${bytes} bytes`);
  return { rate: megabytes / ((performance.now() - began) / 1000), grown: most - before };
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
