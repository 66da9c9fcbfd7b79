import { randomBytes } from 'node:crypto';
import { createServer, request, type ClientRequest, type Server } from 'node:http';
import type { Endpoint, Resource } from './session.ts';
import { fairNow, withLimit } from './time/fair-time.ts';

/** Host name of the route that proves a revision. Nothing else uses it: where runs may share an implementation each has its own. */
export function canaryHost(run?: string): string {
  return run === undefined ? 'canary.conf.invalid' : `canary-${run}.conf.invalid`;
}
/** Namespace of the canary's resources and name of its file. */
export const CANARY_NAMESPACE = 'canary';

/** Path that every revision routes to the canary; the answer tells which one routed it. */
const WHICH = '/revision';
const BACKOFF_MS = [2, 4, 8, 16, 32, 50] as const;
/** Revisions whose mark is still understood. Older ones than these are no longer told from each other. */
const KEPT = 64;

/**
 * A peer of the runner's own. Each revision leads to a port of its own, so that an answer tells which revision gave it, whatever
 * the implementation can do beside routing; a token of this session keeps canned answers from passing for it.
 */
export interface Canary {
  readonly token: string;
  readonly host: string;
  /** Gateway, route and backend that make one revision visible. */
  readonly resources: (revision: number, data: Endpoint) => Promise<readonly Resource[]>;
  readonly stop: () => Promise<void>;
}

/** What the manifest's `ready` says: so many answers in a row, over so many milliseconds at least. */
export interface Readiness {
  readonly inARow: number;
  readonly settleMs: number;
}

/** How the canary is asked. */
export interface Polling extends Readiness {
  readonly data: Endpoint;
  readonly token: string;
  readonly host: string;
  readonly withinMs: number;
  /** True when the implementation no longer runs: nobody waits for it then. */
  readonly gone: () => boolean;
  /** Called when something older answers after the new revision has: both are at work at the same time. */
  readonly overlaps: () => void;
  /** Told what came instead of an answer of the canary. */
  readonly instead?: (what: string) => void;
}

let canaries = 0;

/** Makes the canary's upstream, which listens on the address of the peers. */
export function createCanary(address = '127.0.0.1', run?: string): Canary {
  const token = randomBytes(12).toString('hex');
  canaries += 1;
  // Sessions of one run may share an implementation as well.
  const host = canaryHost(run === undefined || canaries === 1 ? run : `${run}-${canaries}`);
  const servers = new Map<number, Server>();
  return {
    token,
    host,
    resources: async (revision, data) => {
      const server = servers.get(revision) ?? (await serveRevision(revision, token, address));
      servers.set(revision, server);
      const old = servers.get(revision - KEPT);
      servers.delete(revision - KEPT);
      if (old !== undefined) void close(old);
      return resources(revision, data, { host, upstream: { host: address, port: portOf(server) } });
    },
    stop: async () => {
      await Promise.all([...servers.values()].map(close));
    },
  };
}

async function serveRevision(revision: number, token: string, address: string): Promise<Server> {
  const server = createServer((_, answer) => answer.end(`${token} rev-${revision}`));
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, resolve);
  });
  return server;
}

/** Resolves true when the data endpoint routes as the revision says; false when it does not in time, or is gone. */
export async function awaitRevision(revision: number, polling: Polling): Promise<boolean> {
  return poll(polling, async (leftMs) => (await askRevision(`/rev-${revision}`, polling, leftMs)) === revision);
}

/** The same for a revision that was seen before: true when no older one answers any more. */
export async function awaitOlderGone(revision: number, polling: Polling): Promise<boolean> {
  return poll(polling, async (leftMs) => ((await askRevision(WHICH, polling, leftMs)) ?? 0) >= revision);
}

/** The revisions that answer questions of one moment; undefined for an answer without a mark. */
export async function askRevisions(
  times: number,
  polling: Pick<Polling, 'data' | 'token' | 'host' | 'withinMs' | 'instead'>,
): Promise<readonly (number | undefined)[]> {
  // All at once, so that more than one worker of an implementation gets some of them.
  return Promise.all(Array.from({ length: times }, async () => askRevision(WHICH, polling, polling.withinMs)));
}

/** Asks until the answers were good so often and for so long; one that is not begins the count again. */
async function poll(polling: Polling, good: (leftMs: number) => Promise<boolean>): Promise<boolean> {
  const deadline = fairNow() + polling.withinMs;
  let inARow = 0;
  let since = 0;
  for (let round = 0; fairNow() < deadline && !polling.gone(); round++) {
    const asked = performance.now();
    const fits = await good(deadline - fairNow());
    if (!fits && inARow > 0) polling.overlaps();
    inARow = fits ? inARow + 1 : 0;
    if (inARow === 1) since = asked;
    if (inARow >= polling.inARow && performance.now() - since >= polling.settleMs) return true;
    if (inARow === 0 || inARow >= polling.inARow)
      await pause(Math.min(BACKOFF_MS[Math.min(round, BACKOFF_MS.length - 1)] ?? 50, deadline - fairNow()));
  }
  return false;
}

async function askRevision(
  path: string,
  { data, token, host, instead }: Pick<Polling, 'data' | 'token' | 'host' | 'instead'>,
  limitMs: number,
): Promise<number | undefined> {
  const answer = await answerOf(data, path, limitMs, host);
  const [mine, mark] = 'text' in answer ? answer.text.split(' rev-') : [];
  if (mine === token) return Number(mark);
  instead?.('text' in answer ? 'a 200 of somebody else' : answer.failure);
  return undefined;
}

/** Text of a 200 answer to GET `path`; undefined for any other status and any failure. */
export async function ask(data: Endpoint, path: string, limitMs: number, host: string): Promise<string | undefined> {
  const answer = await answerOf(data, path, limitMs, host);
  return 'text' in answer ? answer.text : undefined;
}

type Answer = { readonly text: string } | { readonly failure: string };

async function answerOf(data: Endpoint, path: string, limitMs: number, host: string): Promise<Answer> {
  const withinMs = Math.max(1, Math.min(limitMs, 1000));
  return withLimit(withinMs, async (signal) =>
    textOf(request({ ...data, path, headers: { host }, agent: false, signal })),
  );
}

async function textOf(call: ClientRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (failure: string): void => resolve({ failure });
    call.once('error', (error) => fail(error.name === 'AbortError' ? 'silence' : error.message));
    call.once('response', (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve({ text: Buffer.concat(parts).toString('utf8') });
        else fail(`status ${answer.statusCode ?? 0}`);
      });
      answer.once('error', () => fail('half an answer'));
      answer.once('close', () => fail('half an answer'));
    });
    call.end();
  });
}

// A back-off between polls of a foreign program is the one place where the runner waits for time to pass.
async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

function resources(
  revision: number,
  data: Endpoint,
  { host, upstream }: { readonly host: string; readonly upstream: Endpoint },
): readonly Resource[] {
  const metadata = { name: 'canary', namespace: CANARY_NAMESPACE };
  return [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata,
      spec: {
        gatewayClassName: 'proxy',
        listeners: [{ name: 'http', protocol: 'HTTP', port: data.port, hostname: host }],
      },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata,
      spec: {
        parentRefs: [{ name: 'canary', sectionName: 'http' }],
        hostnames: [host],
        rules: [`/rev-${revision}`, WHICH].map((value) => ({
          matches: [{ path: { type: 'Exact', value } }],
          backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'canary' }],
        })),
      },
    },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata,
      spec: { static: upstream },
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
