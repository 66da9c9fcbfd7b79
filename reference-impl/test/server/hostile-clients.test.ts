import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateSecret, hasOpenssl, makeCertificate } from '../support/certificates.ts';
import { get, policy, simpleSetup } from '../support/data-plane.ts';
import type { Order } from '../support/hostile/attacker.ts';
import { ATTACKS, type Ports } from '../support/hostile/attacks.ts';
import type { InPlace } from '../support/hostile/backend.ts';
import { HOSTILE_SIDE } from '../support/hostile/stand-back.ts';
import { documents, follow, freePort, MAIN, type Process } from '../support/process.ts';

/**
 * Megabytes of the heap of the program: with more to keep it ends, and everything behind that is red. A million chunks of one byte that nobody
 * has read yet, which is all of them on a slow machine, take about 150.
 */
const HEAP = 256;
/** Megabytes that the whole process may grow by under an attack, what waits to be collected included. */
const ROOM = 400;
/** With `POLITE_REQUESTS=1000` each attack also tells how long a polite client waits, alone and beside it; nothing is asserted of that. */
const { POLITE_REQUESTS: ASKED } = process.env;
const POLITE_REQUESTS = Number(ASKED ?? 40);
const POLITE = 'polite.test';

// None of them shows what another does: CI makes a third of them, and its next commits make the others.
const SHARES = 3;
const { PROPERTY_SEED: seedOfCommit } = process.env;
const drawn = ATTACKS.map(([name]) => name).filter(
  (_, index) => seedOfCommit === undefined || index % SHARES === Number(seedOfCommit) % SHARES,
);

if (!existsSync('/proc/self/status')) console.log('the memory of the program is not measured: there is no /proc here');

describe.skipIf(!hasOpenssl)('a polite client is served beside', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'refproxy-hostile-'));
  /** One for the hostile and one for the polite: what the first has to read of them keeps no polite client waiting. */
  let upstreams: readonly Thread[];
  let ports: Ports;
  let proxy: Process;

  beforeAll(
    async () => {
      upstreams = await Promise.all([startThread('backend', HOSTILE_SIDE), startThread('backend')]);
      ports = { plain: await freePort(), proxied: await freePort(), secure: await freePort() };
      writeFileSync(
        path.join(folder, 'a.json'),
        documents(
          resources(
            ports,
            upstreams.map(({ port }) => port),
          ),
        ),
      );
      // The time for the end is longer than a test may take: whoever is forgotten is seen.
      const flags = ['--config', folder, '--admin-port', '0', '--drain', '60s'];
      const args = [`--max-old-space-size=${HEAP}`, MAIN, 'serve', ...flags];
      proxy = follow(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] }));
      await proxy.says(/^refproxy ready: /m);
      if (ASKED !== undefined) await warmUp(ports.plain);
    },
    20_000 + POLITE_REQUESTS * 100,
  );
  afterAll(async () => {
    proxy.child.kill('SIGKILL');
    await proxy.exit;
    await Promise.all(upstreams.map(({ end }) => end()));
    rmSync(folder, { recursive: true });
  });

  it.each(drawn)(
    '%s',
    async (name) => {
      // What the attack before left behind is over.
      await politely(ports.plain);
      // Just before it, since a machine is as quick as it is at the moment.
      const idle = ASKED === undefined ? [] : (await politely(ports.plain)).took;
      const before = residentMegabytes(proxy);
      const attacker = await startThread('attacker', HOSTILE_SIDE, { name, ports });
      try {
        const beside = await politely(ports.plain);
        expect(beside.answers).toEqual(Array.from({ length: POLITE_REQUESTS }, () => 'HTTP/1.1 200 OK'));
        expect(residentMegabytes(proxy) - before).toBeLessThan(ROOM);
        if (ASKED !== undefined) console.log(waits(name, idle, beside.took));
      } finally {
        // A test that fails leaves nobody attacking beside the next one.
        await attacker.end();
      }
    },
    120_000 + POLITE_REQUESTS * 150,
  );

  it('all that were made, to the end: the process stops as it should', async () => {
    proxy.child.kill('SIGTERM');
    expect(await proxy.exit).toBe(0);
  }, 40_000);
});

/** A thread of one of the programs beside the test, when all of it is in place. */
interface Thread extends InPlace {
  readonly end: () => Promise<unknown>;
}

function startThread(program: 'attacker' | 'backend', side?: typeof HOSTILE_SIDE, order?: Order): Promise<Thread> {
  const worker = new Worker(new URL(`../support/hostile/${program}.ts`, import.meta.url), { workerData: side });
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', ({ port }: InPlace) => {
      resolve({ port, end: () => worker.terminate() });
    });
    if (order !== undefined) worker.postMessage(order, []);
  });
}

function resources({ plain, proxied, secure }: Ports, [hostile = 0, polite = 0]: readonly number[]): object[] {
  const server = makeCertificate('server', { names: ['DNS:a.test'] });
  const listeners = [
    { name: 'plain', port: plain, protocol: 'HTTP' },
    { name: 'proxied', port: proxied, protocol: 'HTTP' },
    { name: 'secure', port: secure, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'server' }] } },
  ];
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gw', port: proxied }];
  return [
    ...simpleSetup(plain, hostile, { gateway: { listeners } }),
    ...toPolite(polite),
    policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
    policy('Gateway', { targetRefs, frontend: { proxyProtocol: { version: 'All' } } }),
    certificateSecret('server', server),
  ];
}

/** A route of its own, to a backend of its own. */
function toPolite(port: number): object[] {
  const backendRefs = [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'polite' }];
  return [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'polite' },
      spec: { parentRefs: [{ name: 'gw' }], hostnames: [POLITE], rules: [{ backendRefs }] },
    },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata: { name: 'polite' },
      spec: { static: { host: '127.0.0.1', port } },
    },
  ];
}

/** One request after the other, each over a connection of its own: the first line of each answer, and the milliseconds it took. */
async function politely(port: number): Promise<{ readonly answers: string[]; readonly took: number[] }> {
  const answers: string[] = [];
  const took: number[] = [];
  for (let asked = 0; asked < POLITE_REQUESTS; asked += 1) {
    const began = performance.now();
    const answer = await get(port, '/', [`Host: ${POLITE}`]);
    took.push(performance.now() - began);
    answers.push(answer.slice(0, answer.indexOf('\r')));
  }
  return { answers, took };
}

/** The first rounds also wait for code that is compiled. */
async function warmUp(port: number): Promise<void> {
  for (let round = 0; round < WARM_ROUNDS; round += 1) await politely(port);
}

const WARM_ROUNDS = 5;

function waits(name: string, idle: readonly number[], beside: readonly number[]): string {
  const [alone, under] = [p99(idle), p99(beside)];
  const times = `p99 ${alone.toFixed(1)} ms alone, ${under.toFixed(1)} ms beside it, ${(under / alone).toFixed(1)} times`;
  return `${name}: ${times}; the longest ${Math.max(...beside).toFixed(0)} ms`;
}

function p99(took: readonly number[]): number {
  return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN;
}

/** 0 where the system does not tell. */
function residentMegabytes({ child }: Process): number {
  if (!existsSync('/proc/self/status')) return 0;
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
