// What each policy costs: the rate of a route with the policy as a share of the rate of the same route without it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Message } from './drive.ts';
import { writeConfiguration } from './soak/configuration.ts';
import { credentials } from './soak/credentials.ts';
import { freePort } from '../conformance/runner/sut/ports.ts';
import { startPeers } from './soak/peers.ts';

/** By the name of the number: the route, and a request the policy lets pass. */
export function contenders(
  token: string,
): Readonly<Record<string, { readonly path: string; readonly message?: Message }>> {
  return {
    jwtAuthentication: { path: '/token', message: { headers: { authorization: `Bearer ${token}` } } },
    apiKeyAuthentication: { path: '/key', message: { headers: { authorization: 'Bearer good' } } },
    basicAuthentication: {
      path: '/user',
      message: { headers: { authorization: `Basic ${btoa('alice:wonder')}` } },
    },
    oauthTokenExchange: { path: '/exchanged', message: { headers: { authorization: 'Bearer of-alice' } } },
    extAuth: { path: '/asked' },
    extProc: { path: '/processed' },
    rateLimitLocal: { path: '/limited' },
    rateLimitGlobal: { path: '/counted' },
    transformationOfBody: { path: '/transformed', message: { method: 'POST', body: '{"model":"m"}' } },
    buffer: { path: '/buffered', message: { method: 'POST', body: 'x'.repeat(1000) } },
    csrf: { path: '/csrf', message: { method: 'POST', body: 'x' } },
    retry: { path: '/retried', message: { method: 'POST', body: 'x' } },
  };
}

export interface PolicyBench {
  readonly folder: string;
  readonly rounds: number;
  readonly roundMs: number;
  readonly load: (
    at: { readonly name: string; readonly port: number; readonly host: string; readonly path: string },
    milliseconds: number,
    message?: object,
  ) => number;
  readonly say: (text: string) => void;
}

/**
 * Per policy, `cost…`: rate with the policy divided by rate without; 1 costs nothing. Peers run beside it: the suite's mocks as identity
 * provider and upstream, and lean servers for what policies ask over gRPC.
 */
export async function measurePolicies({
  folder,
  rounds,
  roundMs,
  load,
  say,
}: PolicyBench): Promise<Record<string, number>> {
  const peers = await startPeers(folder);
  const asked = await startAsked();
  const { token, keySet } = await credentials();
  const port = await freePort();
  const config = path.join(folder, 'policies');
  const ports = { ...peers.ports, authorization: asked.port, processor: asked.port, limits: asked.port };
  writeConfiguration(config, { port, peers: ports, keySet, perSecond: 1_000_000_000 });
  const proxy = await startReference(config);
  const rates = new Map<string, number[]>();
  const measure = (name: string, at: string, message?: object): void => {
    const rate = load({ name, port, host: 'bench.test', path: at }, roundMs, message);
    rates.set(name, [...(rates.get(name) ?? []), rate]);
  };
  try {
    // The first round of each counts for nothing.
    for (let round = 0; round <= rounds; round += 1) {
      measure('GET', '/plain');
      measure('POST', '/plain', { method: 'POST', body: 'x' });
      for (const [name, { path: at, message }] of Object.entries(contenders(token))) measure(name, at, message);
      say(`policies, round ${round} of ${rounds} done`);
    }
  } finally {
    proxy.kill('SIGKILL');
    asked.child.kill('SIGKILL');
    peers.stop();
  }
  const median = (name: string): number => {
    const values = (rates.get(name) ?? []).slice(1).toSorted((a, b) => a - b);
    return values[Math.floor(values.length / 2)] ?? Number.NaN;
  };
  return Object.fromEntries(
    Object.entries(contenders(token)).map(([name, { message }]) => [
      `cost.${name}`,
      Math.round((median(name) / median(message?.method ?? 'GET')) * 1000) / 1000,
    ]),
  );
}

async function startAsked(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort();
  const script = path.join(import.meta.dirname, 'contenders/policy-servers.ts');
  const child = spawn('node', [script, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return { child, port };
}

async function startReference(config: string): Promise<ChildProcess> {
  const rest = ['serve', '--config', config, '--admin-port', String(await freePort())];
  const child = spawn('node', ['bin/refproxy.mjs', ...rest], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('refproxy ready')) break;
  child.stderr.resume();
  return child;
}
