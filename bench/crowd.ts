// `node bench/crowd.ts [CONNECTIONS]`: what a polite client of the reference waits for an answer, alone and beside that many connections which do
// nothing (10,000 when absent), and what each of them costs in memory. Nothing is asserted.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { target, writeConfiguration, type Shape } from './reference-configuration.ts';
import { freePort } from '../conformance/runner/sut/ports.ts';
import { median } from './median.ts';

const connections = Number(process.argv[2] ?? 10_000);
const ROUNDS = 3;
const REQUESTS = 2000;
/** Connections that are opened at the same time. */
const ABREAST = 200;

/** What the crowd says before it falls silent, and whether it waits for an answer to that. */
const CROWDS = [
  {
    name: 'answered',
    says: (host: string, at: string) => `GET ${at} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    isAnswered: true,
  },
  { name: 'silent', says: () => '', isAnswered: false },
  { name: 'halfAHead', says: () => 'GET / HTTP/1.1\r\nHost', isAnswered: false },
] as const;

const folder = mkdtempSync(path.join(tmpdir(), 'crowd-'));
const upstream = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
await once(upstream, 'listening');
const address = upstream.address();
const shape: Shape = {
  port: await freePort(),
  upstream: typeof address === 'object' && address !== null ? address.port : 0,
  routes: 1,
  policies: 0,
};
writeConfiguration(folder, shape);
const proxy = await startReference();
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
try {
  await milliseconds(REQUESTS); // warm-up
  const numbers: Record<string, number> = {};
  for (const { name, says, isAnswered } of CROWDS) {
    const { host, path: at } = target(shape);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await beside(says(host, at), isAnswered));
    const ratios = rounds.map(({ alone, among }) => among.p99 / alone.p99);
    numbers[`${name}.aloneP99Ms`] = round2(median(rounds.map(({ alone }) => alone.p99)));
    numbers[`${name}.p50Ms`] = round2(median(rounds.map(({ among }) => among.p50)));
    numbers[`${name}.p99Ms`] = round2(median(rounds.map(({ among }) => among.p99)));
    numbers[`${name}.p99Ratio`] = round2(median(ratios));
    numbers[`${name}.stayed`] = Math.min(...rounds.map(({ stayed }) => stayed));
    numbers[`${name}.kilobytesEach`] = round2(Math.max(...rounds.map(({ kilobytes }) => kilobytes)) / connections);
  }
  console.log(JSON.stringify(numbers, null, 2));
} finally {
  agent.destroy();
  proxy.kill('SIGKILL');
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
}

async function startReference(): Promise<ChildProcess> {
  const most = ['--max-connections', String(connections + 100), '--log-level', 'error'];
  const rest = ['--config', folder, '--admin-port', String(await freePort()), ...most];
  const child = spawn(process.execPath, ['reference-impl/main.ts', 'serve', ...rest], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the reference does not start')));
    child.stderr.on('data', (text: Buffer) => text.includes('refproxy ready') && resolve());
  });
  return child;
}

/** Times of a polite client without and with the crowd; how much the program grew, and how many of the crowd it kept until the end. */
async function beside(says: string, isAnswered: boolean): Promise<Round> {
  const alone = await milliseconds(REQUESTS);
  const before = residentKilobytes();
  const crowd: Socket[] = [];
  while (crowd.length < connections) {
    const next = Math.min(ABREAST, connections - crowd.length);
    crowd.push(...(await Promise.all(Array.from({ length: next }, async () => join(says, isAnswered)))));
  }
  const kilobytes = residentKilobytes() - before;
  const among = await milliseconds(REQUESTS);
  const stayed = crowd.filter(({ readyState }) => readyState === 'open').length;
  await Promise.all(crowd.map(async (socket) => leave(socket)));
  return { alone, among, kilobytes, stayed };
}

interface Round {
  readonly alone: Times;
  readonly among: Times;
  readonly kilobytes: number;
  readonly stayed: number;
}

interface Times {
  readonly p50: number;
  readonly p99: number;
}

async function join(says: string, isAnswered: boolean): Promise<Socket> {
  const socket = connect(shape.port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  if (says !== '') socket.write(says);
  if (isAnswered) await once(socket, 'data');
  else socket.resume();
  return socket;
}

async function leave(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  const closed = once(socket, 'close');
  socket.resetAndDestroy();
  await closed;
}

/** One request after another, over one connection. */
async function milliseconds(count: number): Promise<Times> {
  const { host, path: at } = target(shape);
  const options = { port: shape.port, host: '127.0.0.1', path: at, headers: { host }, agent };
  const times: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      get(options, (response) => response.resume().once('end', resolve)).once('error', reject);
    });
    times.push(performance.now() - began);
  }
  times.sort((one, other) => one - other);
  return { p50: times[Math.floor(count * 0.5)] ?? 0, p99: times[Math.floor(count * 0.99)] ?? 0 };
}

function residentKilobytes(): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${proxy.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes);
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
