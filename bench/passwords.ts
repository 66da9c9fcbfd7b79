// `node bench/passwords.ts`: one client sends wrong passwords at a high cost, and meanwhile another logs in and a third uses a route without
// passwords. `--reference DIR` measures another tree. Nothing is asserted; docs/security/connections.md has the numbers.
import bcrypt from 'bcryptjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../conformance/runner/sut/ports.ts';

const { values: flags } = parseArgs({ options: { reference: { type: 'string', default: '.' } } });
const WRONG = 600;
const COST = 12;
const USERS = Array.from({ length: 8 }, (_, at) => `user${at}`);

const upstream = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
await once(upstream, 'listening');
const port = await freePort();
const folder = mkdtempSync(path.join(tmpdir(), 'passwords-'));
writeFileSync(path.join(folder, 'all.json'), JSON.stringify({ kind: 'List', apiVersion: 'v1', items: resources() }));
const proxy = spawn(
  process.execPath,
  ['bin/refproxy.mjs', 'serve', '--config', folder, '--admin-port', String(await freePort())],
  { cwd: flags.reference, stdio: ['ignore', 'ignore', 'pipe'] },
);
try {
  proxy.stderr.setEncoding('utf8');
  for await (const text of proxy.stderr) if (String(text).includes('refproxy ready')) break;
  const agents = { attacker: agentAt('127.0.0.1'), user: agentAt('127.0.0.2'), other: agentAt('127.0.0.3') };
  await ask('/open', agents.other);
  const [first = '', ...others] = USERS;
  const alone = await logIn(first, agents.user);

  const began = performance.now();
  const flood = Array.from({ length: WRONG }, (_, at) => ask('/private', agents.attacker, [first, `wrong ${at}`]));
  const ended = Promise.all(flood);
  // The flood has arrived when its first answer has.
  await Promise.race(flood);
  const open = repeatedly(() => ask('/open', agents.other), ended);
  const logins: number[] = [];
  for (const user of others) logins.push(await logIn(user, agents.user));
  const tookLogins = performance.now() - began;
  const answers = await ended;
  const took = performance.now() - began;
  const opened = (await open).toSorted((a, b) => a - b);
  console.log(
    JSON.stringify({
      wrong: WRONG,
      cost: COST,
      answered: Object.groupBy(answers, ({ status }) => status)[401]?.length ?? 0,
      refused: Object.groupBy(answers, ({ status }) => status)[503]?.length ?? 0,
      floodSeconds: round(took / 1000),
      loginAloneMs: round(alone),
      loginMs: logins.map(round),
      loginsSeconds: round(tookLogins / 1000),
      openP50Ms: round(opened[Math.floor(opened.length / 2)] ?? 0),
      openP99Ms: round(opened[Math.floor(opened.length * 0.99)] ?? 0),
      openMostMs: round(opened.at(-1) ?? 0),
      openRequests: opened.length,
    }),
  );
} finally {
  proxy.kill();
  upstream.close();
  upstream.closeAllConnections();
  rmSync(folder, { recursive: true });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function agentAt(localAddress: string): Agent {
  return new Agent({ keepAlive: true, localAddress });
}

interface Answered {
  readonly status: number;
  readonly milliseconds: number;
}

function ask(target: string, agent: Agent, claimed?: readonly string[]): Promise<Answered> {
  const began = performance.now();
  const auth = claimed === undefined ? {} : { auth: claimed.join(':') };
  return new Promise((resolve, reject) => {
    request(
      { host: '127.0.0.1', port, path: target, agent, headers: { host: 'passwords.test' }, ...auth },
      (answer) => {
        answer.resume().once('end', () => {
          resolve({ status: answer.statusCode ?? 0, milliseconds: performance.now() - began });
        });
      },
    )
      .once('error', reject)
      .end();
  });
}

/** Milliseconds. A name and password for the first time: what was accepted is remembered. */
async function logIn(user: string, agent: Agent): Promise<number> {
  const { status, milliseconds } = await ask('/private', agent, [user, `right ${user}`]);
  if (status !== 200) throw new Error(`${user} was answered ${status}`);
  return milliseconds;
}

/** Milliseconds of each, one after the other until `end`. */
async function repeatedly(one: () => Promise<Answered>, end: Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  const state = { over: false };
  void end.then(() => (state.over = true));
  while (!state.over) {
    const { status, milliseconds } = await one();
    if (status !== 200) throw new Error(`the open route was answered ${status}`);
    taken.push(milliseconds);
    await after(5);
  }
  return taken;
}

function resources(): readonly object[] {
  const group = 'gateway.networking.k8s.io/v1';
  const { port: upstreamPort } = upstream.address() as AddressInfo;
  const route = (name: string): object => ({
    apiVersion: group,
    kind: 'HTTPRoute',
    metadata: { name, namespace: 'ns' },
    spec: {
      parentRefs: [{ name: 'gw' }],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
          backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'up' }],
        },
      ],
    },
  });
  return [
    {
      apiVersion: group,
      kind: 'GatewayClass',
      metadata: { name: 'proxy' },
      spec: { controllerName: 'proxy.example/controller' },
    },
    {
      apiVersion: group,
      kind: 'Gateway',
      metadata: { name: 'gw', namespace: 'ns' },
      spec: { gatewayClassName: 'proxy', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
    },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata: { name: 'up', namespace: 'ns' },
      spec: { static: { host: '127.0.0.1', port: upstreamPort } },
    },
    route('open'),
    route('private'),
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyPolicy',
      metadata: { name: 'private', namespace: 'ns' },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'private' }],
        traffic: {
          basicAuthentication: {
            users: USERS.map((user) => `${user}:${bcrypt.hashSync(`right ${user}`, COST)}`),
          },
        },
      },
    },
  ];
}
