// What it costs to prove who one is to a backend: the rate of a route with a mechanism as a share of the rate of the same route without;
// and whether requests that come together ask for one token together.
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { PolicyBench } from './policies.ts';
import { freePort } from '../conformance/runner/sut/ports.ts';

interface Message {
  readonly method?: string;
  readonly bodyBytes?: number;
}

const KB: Message = { method: 'POST', bodyBytes: 1024 };
const MB: Message = { method: 'POST', bodyBytes: 1024 * 1024 };

/** By the name of the number: the route, and what is sent there and to the route without. */
const CONTENDERS: Readonly<Record<string, { readonly path: string; readonly message: Message }>> = {
  signV4Ratio1KB: { path: '/signed', message: KB },
  signV4Ratio1MB: { path: '/signed', message: MB },
  jwtSignRS256Ratio: { path: '/rs256', message: {} },
  jwtSignES256Ratio: { path: '/es256', message: {} },
  exchangedRatio: { path: '/exchanged', message: {} },
};

/** Requests that come together. */
const TOGETHER = 1_000;

/** `auth.…`: ratios, and how many token requests and answers with the token 1,000 requests at the same time led to. */
export async function measureBackendAuth({
  folder,
  rounds,
  roundMs,
  load,
  say,
}: PolicyBench): Promise<Record<string, number>> {
  const lender = await startLender();
  const [port, upstream] = [await freePort(), await freePort()];
  const config = path.join(folder, 'backend-auth');
  mkdirSync(config, { recursive: true });
  writeFileSync(
    path.join(config, 'all.yaml'),
    items(port, upstream, lender.port)
      .map((one) => JSON.stringify(one))
      .join('\n---\n'),
  );
  const rest = ['serve', '--config', config, '--admin-port', String(await freePort())];
  const children = [
    await startProgram(['bench/contenders/upstream.ts', String(upstream)], 'stdout', 'ready'),
    await startProgram(['bin/refproxy.mjs', ...rest], 'stderr', 'refproxy ready'),
  ];
  const rates = new Map<string, number[]>();
  const measure = (name: string, at: string, message: Message): void => {
    const rate = load({ name, port, host: 'bench.test', path: at }, roundMs, message);
    rates.set(name, [...(rates.get(name) ?? []), rate]);
  };
  try {
    const { served, asked } = await askTogether(port, lender);
    // The first round of each counts for nothing.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, { path: at, message }] of Object.entries(CONTENDERS)) {
        measure(`without ${name}`, '/plain', message);
        measure(name, at, message);
      }
      say(`backend authentication, round ${round} of ${rounds} done`);
    }
    const ratios = Object.keys(CONTENDERS).map((name): [string, number] => [
      `auth.${name}`,
      Math.round((median(rates.get(name)) / median(rates.get(`without ${name}`))) * 1000) / 1000,
    ]);
    return {
      ...Object.fromEntries(ratios),
      'auth.singleFlightServed': served,
      'auth.singleFlightTokenRequests': asked,
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    lender.stop();
  }
}

interface Lender {
  readonly port: number;
  readonly asked: () => number;
  readonly stop: () => void;
}

/** A token endpoint that counts, and takes a second for its first answer, so that all have come by then. */
async function startLender(): Promise<Lender> {
  let asked = 0;
  const body = JSON.stringify({ access_token: 'lent', token_type: 'Bearer', expires_in: 3600 });
  const server = createServer((request, response) => {
    asked += 1;
    request.resume();
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), 1_000);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, asked: () => asked, stop: () => void server.close() };
}

async function askTogether(
  port: number,
  { asked }: Lender,
): Promise<{ readonly served: number; readonly asked: number }> {
  const agent = new Agent({ maxSockets: TOGETHER });
  // As the load generator shows itself, so that the token is kept when this process, which lends it, waits for that one.
  const headers = { host: 'bench.test', 'x-user': 'ann' };
  const ask = (): Promise<number> =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: '/exchanged', headers, agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      }).once('error', reject);
    });
  const statuses = await Promise.all(Array.from({ length: TOGETHER }, ask));
  agent.destroy();
  return { served: statuses.filter((status) => status === 200).length, asked: asked() };
}

function items(port: number, upstream: number, lender: number): readonly object[] {
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem);
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem);
  const stringData = { rsa: String(rsa), ec: String(ec), accessKey: 'AKIDBENCH', secretKey: 'secret' };
  const lenderRef = { group: 'proxy.example', kind: 'ProxyBackend', name: 'lender' };
  const auths: Readonly<Record<string, object>> = {
    plain: {},
    signed: { cloudA: { secretRef: { name: 'keys' }, serviceName: 'execute-api', region: 'us-east-1' } },
    rs256: { jwtSign: { signingKeyRef: { name: 'keys', key: 'rsa' }, claims: { sub: 'bench' } } },
    es256: { jwtSign: { signingKeyRef: { name: 'keys', key: 'ec' }, alg: 'ES256', claims: { sub: 'bench' } } },
    exchanged: {
      oauthTokenExchange: { backendRef: lenderRef, subjectToken: { source: { header: { name: 'x-user' } } } },
    },
  };
  return [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'gw' },
      spec: { gatewayClassName: 'bench', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData },
    backend('lender', lender, {}),
    ...Object.entries(auths).map(([name, auth]) =>
      backend(name, upstream, Object.keys(auth).length > 0 ? { auth } : {}),
    ),
    ...Object.keys(auths).map((name) => ({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name },
      spec: {
        parentRefs: [{ name: 'gw' }],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
            backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name }],
          },
        ],
      },
    })),
  ];
}

function backend(name: string, port: number, policies: object): object {
  const spec = { static: { host: '127.0.0.1', port }, policies };
  return { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyBackend', metadata: { name }, spec };
}

async function startProgram(args: readonly string[], says: 'stdout' | 'stderr', text: string): Promise<ChildProcess> {
  const child = spawn('node', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for await (const line of createInterface({ input: child[says] })) if (line.includes(text)) break;
  child.stdout.resume();
  child.stderr.resume();
  return child;
}

/** Of all rounds but the first. */
function median(values: readonly number[] = []): number {
  const counted = values.slice(1).toSorted((a, b) => a - b);
  return counted[Math.floor(counted.length / 2)] ?? Number.NaN;
}
