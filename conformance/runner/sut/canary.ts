import { randomBytes } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { Endpoint, Resource } from './session.ts';

/** Host name of the route that proves a revision. Nothing else uses it. */
export const CANARY_HOST = 'canary.conf.invalid';
/** Namespace of the canary's resources and name of its file. */
export const CANARY_NAMESPACE = 'canary';

const BACKOFF_MS = [2, 4, 8, 16, 32, 50] as const;
const IN_A_ROW = 3;

/** A peer of the runner's own whose answer carries a token of this session, so that no canned answer can pass for it. */
export interface Canary {
  readonly port: number;
  readonly token: string;
  /** Gateway, route and backend that make one revision visible. */
  readonly resources: (revision: number, data: Endpoint) => readonly Resource[];
  readonly stop: () => Promise<void>;
}

/** Starts the canary's upstream. */
export async function startCanary(): Promise<Canary> {
  const token = randomBytes(12).toString('hex');
  const server = createServer((incoming, answer) => answer.end(`${token} ${incoming.url ?? ''}`));
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const port = portOf(server);
  return {
    port,
    token,
    resources: (revision, data) => resources(revision, data, port),
    stop: async () => close(server),
  };
}

/**
 * Resolves true when three consecutive answers of the data endpoint show the revision; false when `withinMs` has passed, or
 * at once when `gone` says that the implementation no longer runs.
 */
export async function awaitRevision(
  revision: number,
  options: { readonly data: Endpoint; readonly token: string; readonly withinMs: number; readonly gone: () => boolean },
): Promise<boolean> {
  const deadline = performance.now() + options.withinMs;
  let inARow = 0;
  for (let round = 0; performance.now() < deadline && !options.gone(); round++) {
    const answer = await ask(options.data, `/rev-${revision}`, deadline - performance.now());
    inARow = answer === `${options.token} /rev-${revision}` ? inARow + 1 : 0;
    if (inARow === IN_A_ROW) return true;
    if (inARow === 0)
      await pause(Math.min(BACKOFF_MS[Math.min(round, BACKOFF_MS.length - 1)] ?? 50, deadline - performance.now()));
  }
  return false;
}

/** Text of a 200 answer to GET `path`; undefined for any other status and any failure. */
export async function ask(
  data: Endpoint,
  path: string,
  limitMs: number,
  host = CANARY_HOST,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const call = request({
      ...data,
      path,
      headers: { host },
      agent: false,
      signal: AbortSignal.timeout(Math.max(1, Math.min(Math.ceil(limitMs), 1000))),
    });
    call.once('error', () => resolve(undefined));
    call.once('response', (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.once('end', () => resolve(answer.statusCode === 200 ? Buffer.concat(parts).toString('utf8') : undefined));
      answer.once('error', () => resolve(undefined));
      answer.once('close', () => resolve(undefined));
    });
    call.end();
  });
}

// A back-off between polls of a foreign program is the one place where the runner waits for time to pass.
async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

function resources(revision: number, data: Endpoint, port: number): readonly Resource[] {
  const metadata = { name: 'canary', namespace: CANARY_NAMESPACE };
  return [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata,
      spec: {
        gatewayClassName: 'proxy',
        listeners: [{ name: 'http', protocol: 'HTTP', port: data.port, hostname: CANARY_HOST }],
      },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata,
      spec: {
        parentRefs: [{ name: 'canary', sectionName: 'http' }],
        hostnames: [CANARY_HOST],
        rules: [
          {
            matches: [{ path: { type: 'Exact', value: `/rev-${revision}` } }],
            backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'canary' }],
          },
        ],
      },
    },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata,
      spec: { static: { host: '127.0.0.1', port } },
    },
  ];
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
