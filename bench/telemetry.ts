// What it costs to record a request: the rate of the reference with each output as a share of its rate with none, and the CPU time of its
// process per request.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { cpuMicroseconds } from './cpu-time.ts';
import type { PolicyBench } from './policies.ts';
import { resources } from './reference-configuration.ts';
import { freePort } from './soak/free-port.ts';

const TRACING = { backendRef: { group: 'proxy.example', kind: 'ProxyBackend', name: 'up' }, randomSampling: 'false' };

/** By the name of the number: the frontend policy, and whether somebody can read metrics. Traces are asked for and none is sampled. */
const OUTPUTS: Readonly<Record<string, { readonly frontend?: object; readonly metrics?: true }>> = {
  none: {},
  accessLog: { frontend: { accessLog: {} } },
  tracing: { frontend: { tracing: TRACING } },
  metrics: { metrics: true },
  all: { frontend: { accessLog: {}, tracing: TRACING }, metrics: true },
};

interface Proxy {
  readonly name: string;
  readonly port: number;
  readonly child: ChildProcess;
  readonly rates: number[];
  readonly costs: number[];
}

/** Per output `telemetry.…` (1 costs nothing) and `telemetry.micros.…`, microseconds of CPU per request, where the system tells. */
export async function measureTelemetry({
  folder,
  rounds,
  roundMs,
  load,
  say,
}: PolicyBench): Promise<Record<string, number>> {
  const upstream = await freePort();
  const script = path.join(import.meta.dirname, 'contenders/upstream.ts');
  const server = spawn('node', [script, String(upstream)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  const proxies: Proxy[] = [];
  try {
    for (const name of Object.keys(OUTPUTS))
      proxies.push(await start(name, path.join(folder, `telemetry-${name}`), upstream));
    // The first round of each counts for nothing.
    for (let round = 0; round <= rounds; round += 1) {
      for (const { name, port, child, rates, costs } of proxies) {
        const before = cpuMicroseconds(child.pid);
        const rate = load({ name, port, host: 'h0.bench.test', path: '/p0/x' }, roundMs);
        const spent = cpuMicroseconds(child.pid) - before;
        if (round === 0) continue;
        rates.push(rate);
        costs.push(spent / ((rate * roundMs) / 1000));
      }
      say(`telemetry, round ${round} of ${rounds} done`);
    }
  } finally {
    for (const { child } of proxies) child.kill('SIGKILL');
    server.kill('SIGKILL');
  }
  const plain = median(proxies.find(({ name }) => name === 'none')?.rates ?? []);
  return Object.fromEntries(
    proxies.flatMap(({ name, rates, costs }) => [
      ...(name === 'none' ? [] : [[`telemetry.${name}`, Math.round((median(rates) / plain) * 1000) / 1000] as const]),
      ...(Number.isNaN(median(costs))
        ? []
        : [[`telemetry.micros.${name}`, Math.round(median(costs) * 10) / 10] as const]),
    ]),
  );
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
  const child = spawn('node', ['bin/refproxy.mjs', ...rest], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('refproxy ready')) break;
  child.stderr.resume();
  return { name, port, child, rates: [], costs: [] };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
