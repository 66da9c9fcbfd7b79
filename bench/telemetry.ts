// What it costs to record a request: the rate of the reference with each output as a share of its rate with none, and the CPU time of its
// process per request. No figure is better than the noise between two processes of one program, so there are several of each.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fastestFifth, mean, measureCost, REQUESTS, WARM_UP } from './cost.ts';
import { resources } from './reference-configuration.ts';
import { freePort } from '../conformance/runner/sut/ports.ts';

const TRACING = { backendRef: { group: 'proxy.example', kind: 'ProxyBackend', name: 'up' }, randomSampling: 'false' };

/** By the name of the number: the frontend policy, and whether somebody can read metrics. Traces are asked for and none is sampled. */
const OUTPUTS: Readonly<Record<string, { readonly frontend?: object; readonly metrics?: true }>> = {
  none: {},
  accessLog: { frontend: { accessLog: {} } },
  tracing: { frontend: { tracing: TRACING } },
  metrics: { metrics: true },
  all: { frontend: { accessLog: {}, tracing: TRACING }, metrics: true },
};

/** Of a process, in turn with the others of its round. */
const TURNS = 10;

interface Proxy {
  readonly name: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Requests per second of each turn, and microseconds of CPU per request. */
  readonly rates: number[];
  readonly costs: number[];
}

export interface TelemetryBench {
  readonly folder: string;
  readonly rounds: number;
  readonly say: (text: string) => void;
}

/**
 * Per output `telemetry.…`, the requests/s that remain (1 costs nothing); `telemetry.cpu.…`, the same of requests per second of CPU, which
 * other work on the machine hardly changes; and `telemetry.micros.…`, microseconds of CPU per request, where the system tells.
 *
 * Each round has processes of its own: two of one and the same program differ by a tenth and more (what the compiler of V8 makes of it, and
 * where its memory lies), as much as what is looked for, so that many processes tell more than many turns of one.
 */
export async function measureTelemetry({ folder, rounds, say }: TelemetryBench): Promise<Record<string, number>> {
  const upstream = await freePort();
  const script = path.join(import.meta.dirname, 'contenders/upstream.ts');
  const server = spawn('node', [script, String(upstream)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  const measured: Proxy[] = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      measured.push(...(await measureRound(path.join(folder, `telemetry-${round}`), upstream)));
      say(`telemetry, round ${round} of ${rounds} done`);
    }
  } finally {
    server.kill('SIGKILL');
  }
  return numbersOf(measured);
}

async function measureRound(folder: string, upstream: number): Promise<readonly Proxy[]> {
  const proxies: Proxy[] = [];
  try {
    mkdirSync(folder);
    for (const name of Object.keys(OUTPUTS)) proxies.push(await start(name, path.join(folder, name), upstream));
    for (const { port, child } of proxies) await measureCost(child, load(port, WARM_UP));
    for (let turn = 0; turn < TURNS; turn += 1) {
      // In turn who comes first, so that a machine that becomes faster or slower favours nobody.
      for (const proxy of turn % 2 === 0 ? proxies : proxies.toReversed()) await measureOnce(proxy);
    }
    return proxies;
  } finally {
    for (const { child } of proxies) child.kill('SIGKILL');
  }
}

function load(port: number, requests: number): Parameters<typeof measureCost>[1] {
  return { port, host: 'h0.bench.test', path: '/p0/x', requests };
}

async function measureOnce({ port, child, rates, costs }: Proxy): Promise<void> {
  const { rate, micros } = await measureCost(child, load(port, REQUESTS));
  rates.push(rate);
  costs.push(micros);
}

function numbersOf(proxies: readonly Proxy[]): Record<string, number> {
  const of = (name: string): readonly Proxy[] => proxies.filter((proxy) => proxy.name === name);
  const rateOf = (name: string): number => mean(of(name).map(({ rates }) => -fastestFifth(rates.map((rate) => -rate))));
  const costOf = (name: string): number => mean(of(name).map(({ costs }) => fastestFifth(costs)));
  const numbers: Record<string, number> = {};
  const plain = { rate: rateOf('none'), cost: costOf('none') };
  for (const name of Object.keys(OUTPUTS)) {
    if (name !== 'none') {
      numbers[`telemetry.${name}`] = rounded(rateOf(name) / plain.rate, 1000);
      numbers[`telemetry.cpu.${name}`] = rounded(plain.cost / costOf(name), 1000);
    }
    numbers[`telemetry.micros.${name}`] = rounded(costOf(name), 10);
  }
  return Object.fromEntries(Object.entries(numbers).filter(([, number]) => !Number.isNaN(number)));
}

function rounded(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}

async function start(name: string, folder: string, upstream: number): Promise<Proxy> {
  const { frontend, metrics } = OUTPUTS[name] ?? {};
  const port = await freePort();
  const policy = {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyPolicy',
    metadata: { name: 'recording', namespace: 'bench' },
    spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gw' }], frontend },
  };
  const items = [...resources({ port, upstream, routes: 1, policies: 0 }), ...(frontend === undefined ? [] : [policy])];
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'bench.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const stats = metrics === undefined ? [] : ['--stats-port', String(await freePort())];
  const rest = ['serve', '--config', folder, '--admin-port', String(await freePort()), ...stats];
  // Node of this process, and so the process that is started is the one that serves.
  const child = spawn(process.execPath, ['bin/refproxy.mjs', ...rest], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('refproxy ready')) break;
  child.stderr.resume();
  return { name, port, child, rates: [], costs: [] };
}
