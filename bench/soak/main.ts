// `npm run soak -- --minutes N | --seconds N`: mixed load on the reference while its peers are killed and started again.
// Fails when the proxy ends, an answer is one that no policy allows, a connection breaks, or memory does not come back.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { writeConfiguration } from './configuration.ts';
import { credentials } from './credentials.ts';
import { freePort } from '../../conformance/runner/sut/ports.ts';
import { inspectHeap } from './heap.ts';
import { startPeers, type SoakPeers } from './peers.ts';
import { asks, PEERS, type Ask } from './routes.ts';

const { values: flags } = parseArgs({
  options: { minutes: { type: 'string' }, seconds: { type: 'string' }, only: { type: 'string' } },
});
const SECONDS = flags.seconds === undefined ? Number(flags.minutes ?? 10) * 60 : Number(flags.seconds);
/** Long enough that pools, caches and compiled code have their size. */
const WARM_UP_SECONDS = Math.min(10, SECONDS);
const CONNECTIONS = 24;
/** Milliseconds between two kills. */
const PAUSE = 400;
/** The heap may be so much larger than after the warm-up. */
const MOST_GROWTH = 1.1;

/** Per ask: how often it ended with which status, or how else. */
type Loaded = Readonly<Record<string, Readonly<Record<string, number>>>>;

const folder = mkdtempSync(path.join(tmpdir(), 'soak-'));
const children: ChildProcess[] = [];
let peers: SoakPeers | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    cleanUp();
    process.exit(130);
  });
}
try {
  peers = await startPeers(folder);
  const { token, keySet } = await credentials();
  const port = await freePort();
  writeConfiguration(path.join(folder, 'config'), { port, peers: peers.ports, keySet, perSecond: 5 });
  const proxy = await startProxy(path.join(folder, 'config'));
  const heap = await inspectHeap(proxy.inspector);
  const wanted = asks(token).filter(({ name }) => flags.only === undefined || name === flags.only);

  await load(port, wanted, WARM_UP_SECONDS, peers);
  const before = await heap.used();
  const { loaded, kills } = await load(port, wanted, SECONDS, peers);
  const after = proxy.ended() ? Number.NaN : await heap.used();
  heap.close();

  const problems = [
    ...(proxy.ended() ? ['the proxy ended'] : []),
    ...unexpected(wanted, loaded),
    ...(after > before * MOST_GROWTH ? [`the heap grew from ${megabytes(before)} to ${megabytes(after)}`] : []),
  ];
  report(wanted, loaded);
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
  console.log(
    `soak: ${total(loaded)} answers in ${SECONDS} s, ${kills} kills, heap ${megabytes(before)} -> ${megabytes(after)} ` +
      `(${(after / before).toFixed(3)}), ${problems.length} problems`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  cleanUp();
}

function cleanUp(): void {
  peers?.stop();
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function startProxy(config: string): Promise<{ inspector: string; ended: () => boolean }> {
  const rest = ['serve', '--config', config, '--admin-port', String(await freePort()), '--log-level', 'error'];
  const child = spawn('node', ['--inspect=127.0.0.1:0', 'bin/refproxy.mjs', ...rest], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  let inspector = '';
  for await (const line of createInterface({ input: child.stderr })) {
    inspector = /ws:\/\/\S+/.exec(line)?.[0] ?? inspector;
    if (line.includes('refproxy ready')) break;
  }
  child.stderr.resume();
  return { inspector, ended: () => ended };
}

/** Runs the load in its own process and, until it is done, kills one peer after the other. */
async function load(
  port: number,
  wanted: readonly Ask[],
  seconds: number,
  { restart }: SoakPeers,
): Promise<{ loaded: Loaded; kills: number }> {
  const script = path.join(import.meta.dirname, 'load.ts');
  const child = spawn('node', [script, port, CONNECTIONS, seconds].map(String), { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  child.stdin.end(JSON.stringify(wanted));
  const state = { over: false };
  const output = text(child.stdout).finally(() => {
    state.over = true;
  });
  let kills = 0;
  const victims = PEERS.filter((name) => name !== 'steady');
  while (!state.over) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const victim = victims[kills % victims.length];
    if (state.over || victim === undefined) continue;
    kills += 1;
    await restart(victim);
  }
  return { loaded: JSON.parse(await output) as Loaded, kills };
}

function unexpected(wanted: readonly Ask[], loaded: Loaded): readonly string[] {
  return wanted.flatMap(({ name, allowed, seen }) => {
    const counts = loaded[name] ?? {};
    const wrong = Object.keys(counts).filter((ending) => !allowed.some((one) => String(one) === ending));
    const missing = seen.filter((status) => (counts[status] ?? 0) === 0);
    return [
      ...wrong.map((ending) => `${name}: ${counts[ending]} times ${ending}, which no policy allows`),
      ...missing.map((status) => `${name}: never answered ${status}`),
    ];
  });
}

function report(wanted: readonly Ask[], loaded: Loaded): void {
  for (const { name } of wanted) {
    const counts = Object.entries(loaded[name] ?? {}).map(([ending, count]) => `${ending}: ${count}`);
    console.log(`${name.padEnd(16)} ${counts.join(', ')}`);
  }
}

function total(loaded: Loaded): number {
  return Object.values(loaded)
    .flatMap((counts) => Object.values(counts))
    .reduce((sum, count) => sum + count, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
