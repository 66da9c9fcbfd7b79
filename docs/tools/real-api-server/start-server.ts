import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from './api-client.ts';

/** Programs that were built, by folder. */
export interface Programs {
  readonly etcd: string;
  readonly apiServer: string;
}

/** An API server without nodes and controllers, on loopback; its state is gone when it stops. */
export interface ApiServer {
  readonly client: ApiClient;
  /** A file for programs that bring their own client. */
  readonly kubeconfig: string;
  readonly stop: () => Promise<void>;
}

const READY_WITHIN_MS = 120_000;
const POLL_MS = 250;
/** The server's own certificate, signed by itself. */
const AUTHORITY = 'certificates/apiserver.crt';

/** Starts etcd and the API server on free ports and waits until it is ready. Throws with the end of its log when it is not. */
export async function startServer({ etcd, apiServer }: Programs): Promise<ApiServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'real-api-server-'));
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    // The server first: without its store it would complain until it is told to end.
    for (const child of children.toReversed()) await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const start = (name: string, program: string, flags: Flags): void => {
    const log = openSync(path.join(folder, `${name}.log`), 'a');
    children.push(spawn(program, flagsText(flags), { stdio: ['ignore', log, log] }));
  };
  try {
    const [clients, peers, secure] = [await freePort(), await freePort(), await freePort()];
    start('etcd', etcd, etcdFlags(folder, clients, peers));
    const token = randomBytes(16).toString('hex');
    start('api-server', apiServer, apiServerFlags(folder, token, clients, secure));
    const client = await readyClient(folder, token, secure, children);
    return { client, kubeconfig: writeKubeconfig(folder, token, secure), stop };
  } catch (error) {
    const log = lastLines(path.join(folder, 'api-server.log'));
    await stop();
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${log}`, { cause: error });
  }
}

type Flags = Readonly<Record<string, string>>;

function flagsText(flags: Flags): readonly string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

function etcdFlags(folder: string, clients: number, peers: number): Flags {
  const [client, peer] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`];
  return {
    'data-dir': path.join(folder, 'etcd'),
    'unsafe-no-fsync': 'true',
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
  };
}

function apiServerFlags(folder: string, token: string, store: number, secure: number): Flags {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = path.join(folder, 'accounts.pem');
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const tokens = path.join(folder, 'tokens.csv');
  writeFileSync(tokens, `${token},admin,1,"system:masters"\n`, { mode: 0o600 });
  return {
    'etcd-servers': `http://127.0.0.1:${store}`,
    'bind-address': '127.0.0.1',
    'secure-port': String(secure),
    // Nobody reaches it but us, so its own Service needs no endpoint.
    'advertise-address': '127.0.0.1',
    'endpoint-reconciler-type': 'none',
    'cert-dir': path.join(folder, 'certificates'),
    'service-account-issuer': 'https://local',
    'service-account-key-file': key,
    'service-account-signing-key-file': key,
    'service-cluster-ip-range': '10.96.0.0/16',
    'token-auth-file': tokens,
    'authorization-mode': 'AlwaysAllow',
    // Documents name namespaces and accounts that nobody made.
    'disable-admission-plugins': 'NamespaceLifecycle,PodSecurity,ServiceAccount',
  };
}

async function readyClient(
  folder: string,
  token: string,
  port: number,
  children: readonly ChildProcess[],
): Promise<ApiClient> {
  const until = performance.now() + READY_WITHIN_MS;
  for (;;) {
    if (children.some(({ exitCode }) => exitCode !== null)) throw new Error('a program ended by itself');
    if (performance.now() > until) throw new Error('the API server does not get ready');
    const client = clientOf(folder, token, port);
    if (client !== undefined && (await client.isReady())) return client;
    await client?.close();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function writeKubeconfig(folder: string, token: string, port: number): string {
  const file = path.join(folder, 'kubeconfig');
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    'certificate-authority': path.join(folder, AUTHORITY),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'local',
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'admin' } }],
    clusters: [{ name: 'local', cluster }],
    users: [{ name: 'admin', user: { token } }],
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** Undefined until the server has made its certificate. */
function clientOf(folder: string, token: string, port: number): ApiClient | undefined {
  try {
    const ca = readFileSync(path.join(folder, AUTHORITY), 'utf8');
    return new ApiClient(`https://127.0.0.1:${port}`, token, ca);
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  if (typeof address !== 'object' || address === null) throw new Error('no free port');
  return address.port;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(patience);
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(-20).join('\n');
  } catch {
    return '';
  }
}
