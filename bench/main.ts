// `npm run bench`: the reference beside its peers, in one run, as ratios. See README.md.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { measureAgainst } from './against.ts';
import { measureAi } from './ai/measure.ts';
import { measureBackendAuth } from './backend-auth.ts';
import { configurationChanges, jwtVerifyRatio, localRateLimits } from './in-process.ts';
import { measureMcp } from './mcp/measure.ts';
import { measurePolicies } from './policies.ts';
import { measureTelemetry } from './telemetry.ts';
import { measureWire } from './wire/measure.ts';
import { target, writeConfiguration, type Shape } from './reference-configuration.ts';
import { median } from './median.ts';

/** What the command takes besides `--against`; each but the first and the last measures a part. */
const OPTIONS = {
  json: 'print one flat object of numbers and nothing else',
  policies: 'the cost of each policy',
  ai: 'LLM traffic',
  auth: 'credentials for backends',
  mcp: 'MCP',
  wire: 'connections, TLS, HTTP/2 and large bodies',
  telemetry: 'logs, traces and metrics',
  help: 'print this',
} as const;

const { chosen, tree, names } = chosenOptions();
const json = chosen.has('json');
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

/** An option that the table does not name ends the command before it measures anything, and so does `--help`. */
function chosenOptions(): {
  readonly chosen: ReadonlySet<string>;
  readonly tree?: string | undefined;
  readonly names: readonly string[];
} {
  const flags = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, { type: 'boolean' as const }]));
  try {
    const { values, positionals } = parseArgs({
      options: { ...flags, against: { type: 'string' } },
      allowPositionals: true,
    });
    if (positionals.length > 0 && values.against === undefined)
      throw new Error(`${positionals.join(' ')}: names are for --against`);
    const found = new Set(Object.keys(values));
    if (found.has('help')) leave(0, usage());
    return { chosen: found, tree: values.against, names: positionals };
  } catch (error) {
    return leave(2, `${error instanceof Error ? error.message : String(error)}\n\n${usage()}`);
  }
}

function leave(code: number, text: string): never {
  process[code === 0 ? 'stdout' : 'stderr'].write(`${text}\n`);
  process.exit(code);
}

function usage(): string {
  const lines = Object.entries(OPTIONS).map(([name, what]) => `  --${name.padEnd(11)} ${what}`);
  return [
    'npm run bench -- [OPTION]: measures everything (8 minutes), or the one part that an option names.',
    ...lines,
    '  --against DIR [NAME …] compares this tree with another',
    'BENCH_ROUNDS=5 says how often each contender is measured.',
  ].join('\n');
}

async function measured(): Promise<Record<string, number>> {
  if (tree !== undefined) return against(tree, names);
  if (chosen.has('ai')) return ai();
  if (chosen.has('auth')) return backendAuth();
  if (chosen.has('mcp')) return mcp();
  if (chosen.has('wire')) return wire();
  if (chosen.has('telemetry')) return telemetry();
  if (chosen.has('policies')) return policies();
  return {
    ...(await everythingElse()),
    ...(await telemetry()),
    ...(await wire()),
    ...(await backendAuth()),
    ...(await ai()),
    ...(await mcp()),
  };
}

async function against(other: string, only: readonly string[]): Promise<Record<string, number>> {
  const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
  return measureAgainst({ folder, other, rounds, only, say });
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
  return measureTelemetry({ folder, rounds: ROUNDS, say });
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

function ratio(one: number, other: number): number {
  return round(one / other);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
