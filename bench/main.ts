// `npm run bench`: the reference beside its peers, in one run, as ratios. See README.md.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { measureAgainst } from './against.ts';
import { measureAi } from './ai/measure.ts';
import { measureBackendAuth } from './backend-auth.ts';
import { configurationChanges, jwtVerifyRatio, localRateLimits } from './in-process.ts';
import { measureMcp } from './mcp/measure.ts';
import { measurePolicies } from './policies.ts';
import { measureTelemetry } from './telemetry.ts';
import { measureWire } from './wire/measure.ts';
import { target, writeConfiguration, type Shape } from './reference-configuration.ts';

const json = process.argv.includes('--json');
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const ROUND_MS = 1500;
const CONNECTIONS = 32;

interface Contender {
  readonly name: string;
  readonly port: number;
  readonly host: string;
  readonly path: string;
}

const children: ChildProcess[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
try {
  report(await measured());
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** `--ai`, `--auth`, `--mcp`, `--wire`, `--telemetry` and `--policies` measure a part; `--against DIR` compares with another tree. */
async function measured(): Promise<Record<string, number>> {
  const at = process.argv.indexOf('--against');
  if (at >= 0) return against(process.argv[at + 1] ?? '');
  if (process.argv.includes('--ai')) return ai();
  if (process.argv.includes('--auth')) return backendAuth();
  if (process.argv.includes('--mcp')) return mcp();
  if (process.argv.includes('--wire')) return wire();
  if (process.argv.includes('--telemetry')) return telemetry();
  if (process.argv.includes('--policies')) return policies();
  return {
    ...(await everythingElse()),
    ...(await telemetry()),
    ...(await wire()),
    ...(await backendAuth()),
    ...(await ai()),
    ...(await mcp()),
  };
}

async function against(other: string): Promise<Record<string, number>> {
  const rounds = Number(process.env['BENCH_ROUNDS'] ?? 25);
  return measureAgainst({ folder, other, rounds, roundMs: 300, say });
}

async function policies(): Promise<Record<string, number>> {
  return measurePolicies({ folder, rounds: Math.min(ROUNDS, 3), roundMs: 1000, load, say });
}

async function mcp(): Promise<Record<string, number>> {
  return measureMcp({ folder, rounds: Math.min(ROUNDS, 3), roundMs: ROUND_MS, say });
}

async function wire(): Promise<Record<string, number>> {
  return measureWire({ folder, rounds: Math.min(ROUNDS, 3), roundMs: 1000, say });
}

async function telemetry(): Promise<Record<string, number>> {
  return measureTelemetry({ folder, rounds: ROUNDS, roundMs: 1000, load, say });
}

async function backendAuth(): Promise<Record<string, number>> {
  return measureBackendAuth({ folder, rounds: Math.min(ROUNDS, 3), roundMs: 1000, load, say });
}

async function ai(): Promise<Record<string, number>> {
  return measureAi({ folder, rounds: Math.min(ROUNDS, 3), roundMs: ROUND_MS, say });
}

async function everythingElse(): Promise<Record<string, number>> {
  const suite = measureSuite();
  const rates = await measureProxies();
  const costs = await policies();
  const buckets = localRateLimits();
  const configuration = configurationChanges();
  const rate = (name: string): number => rates.get(name) ?? Number.NaN;
  const tenPolicies = rate('reference, 100 routes, 10 policies');
  return {
    ...suite,
    relayRatio1: ratio(rate('reference, 1 route'), rate('bare relay')),
    relayRatio10Policies: ratio(tenPolicies, rate('bare relay')),
    peerRatio: ratio(tenPolicies, Math.max(rate('http-proxy-3'), rate('@fastify/http-proxy'))),
    routes10000Ratio: ratio(rate('reference, 10,000 routes, 10 policies'), tenPolicies),
    routes10000LoadMs: Math.round(configuration.load),
    routes10000ChangeMs: Math.round(configuration.change),
    ...costs,
    jwtVerifyRatio: round(await jwtVerifyRatio(Math.min(ROUNDS, 3), 500)),
    millionBucketsRatio: round(buckets.ratio),
    bytesPerBucket: buckets.bytes,
  };
}

/** Runs the whole suite once; its own report says how long it took. */
function measureSuite(): { casesPerSecond: number; firstVerdictMs: number } {
  const out = path.join(folder, 'report');
  say('the suite against the reference …');
  const { status, stdout, stderr } = spawnSync('node', ['bin/conform.mjs', 'run', '--out', out], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the suite did not pass: ${stderr}${stdout.slice(-8000)}`);
  const text = readFileSync(path.join(out, 'report.json'), 'utf8');
  const { cases, durationMs, firstVerdictMs } = JSON.parse(text) as {
    cases: unknown[];
    durationMs: number;
    firstVerdictMs: number;
  };
  return { casesPerSecond: round(cases.length / (durationMs / 1000)), firstVerdictMs: Math.round(firstVerdictMs) };
}

async function measureProxies(): Promise<Map<string, number>> {
  const upstream = await freePort();
  await start('contenders/upstream.ts', upstream);
  const contenders = [
    await peer('bare relay', 'contenders/relay.ts', upstream),
    await peer('http-proxy-3', 'contenders/http-proxy-3.ts', upstream),
    await peer('@fastify/http-proxy', 'contenders/fastify-http-proxy.ts', upstream),
    await reference('reference, 1 route', { port: await freePort(), upstream, routes: 1, policies: 0 }),
    await reference('reference, 100 routes, 10 policies', {
      port: await freePort(),
      upstream,
      routes: 100,
      policies: 10,
    }),
    await reference('reference, 10,000 routes, 10 policies', {
      port: await freePort(),
      upstream,
      routes: 10_000,
      policies: 10,
    }),
  ];
  const rounds = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  for (const contender of contenders) load(contender, ROUND_MS); // warm-up: the first round of each counts for nothing
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const contender of contenders) rounds.get(contender.name)?.push(load(contender, ROUND_MS));
    say(`round ${turn + 1} of ${ROUNDS} done`);
  }
  const medians = new Map([...rounds].map(([name, values]) => [name, median(values)]));
  for (const [name, value] of medians) say(`${Math.round(value).toString().padStart(8)} requests/s  ${name}`);
  return medians;
}

async function peer(name: string, script: string, upstream: number): Promise<Contender> {
  const port = await freePort();
  await start(script, port, upstream);
  return { name, port, host: 'h0.bench.test', path: '/p0/x' };
}

async function reference(name: string, shape: Shape): Promise<Contender> {
  const config = path.join(folder, String(shape.port));
  writeConfiguration(config, shape);
  const rest = ['serve', '--config', config, '--admin-port', String(await freePort())];
  const child = spawn('node', ['bin/refproxy.mjs', ...rest], { stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('refproxy ready')) break;
  child.stderr.resume();
  return { name, port: shape.port, ...target(shape) };
}

async function start(script: string, ...ports: readonly number[]): Promise<void> {
  const child = spawn('node', [path.join(import.meta.dirname, script), ...ports.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
}

function load({ port, host, path: requestPath, name }: Contender, milliseconds: number, message: object = {}): number {
  const rest = [String(port), host, requestPath, ...[CONNECTIONS, milliseconds].map(String), JSON.stringify(message)];
  const { stdout, stderr, status } = spawnSync('node', [path.join(import.meta.dirname, 'load.ts'), ...rest], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the load against ${name} failed: ${stderr}`);
  return Number(stdout);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function report(numbers: Readonly<Record<string, number>>): void {
  if (json) console.log(JSON.stringify(numbers));
  else for (const [name, value] of Object.entries(numbers)) console.log(`${name.padEnd(22)} ${value}`);
}

function say(text: string): void {
  if (!json) console.log(text);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function ratio(one: number, other: number): number {
  return round(one / other);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
