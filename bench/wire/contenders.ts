import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { freePort } from '../../conformance/runner/sut/ports.ts';

/** A proxy with one thread in front of the upstream, over HTTP and over TLS with h2 and http/1.1. */
export interface Contender {
  readonly name: string;
  readonly http: number;
  readonly tls: number;
  readonly pid: number;
  readonly stop: () => void;
}

interface Setup {
  readonly folder: string;
  readonly upstream: number;
  readonly http: number;
  readonly tls: number;
}

/** What starts each, with its configuration in the folder; it runs in the foreground. */
const STARTS: Readonly<Record<string, (setup: Setup) => Promise<readonly [program: string, ...rest: string[]]>>> = {
  reference: async (setup) => {
    const file = path.join(setup.folder, 'reference.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: resources(setup) }));
    const ports = ['--admin-port', String(await freePort())];
    return ['node', 'bin/refproxy.mjs', 'serve', '--config', file, '--log-level', 'error', ...ports];
  },
  nginx: async ({ folder, upstream, http, tls }) => {
    const file = path.join(folder, 'nginx.conf');
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const temporary = kinds.map((one) => `${one}_temp_path ${folder}/${one};`).join(' ');
    writeFileSync(
      file,
      `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 4096; }
http { access_log off; ${temporary} keepalive_requests 100000000;
  upstream up { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 100000000; }
  server { listen 127.0.0.1:${http}; listen 127.0.0.1:${tls} ssl http2;
    ssl_certificate ${folder}/certificate.pem; ssl_certificate_key ${folder}/key.pem;
    location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}`,
    );
    return ['nginx', '-p', folder, '-c', file];
  },
  haproxy: async ({ folder, upstream, http, tls }) => {
    const file = path.join(folder, 'haproxy.cfg');
    writeFileSync(path.join(folder, 'both.pem'), read(folder, 'certificate.pem') + read(folder, 'key.pem'));
    writeFileSync(
      file,
      `global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend front
  bind 127.0.0.1:${http}
  bind 127.0.0.1:${tls} ssl crt ${folder}/both.pem alpn h2,http/1.1
  default_backend up
backend up
  server up 127.0.0.1:${upstream}
`,
    );
    return ['haproxy', '-db', '-f', file];
  },
};

/** Those that are installed; what is not is said. */
export async function startContenders(
  folder: string,
  upstream: number,
  say: (text: string) => void,
): Promise<readonly Contender[]> {
  makeCertificate(folder);
  const started: Contender[] = [];
  for (const [name, prepare] of Object.entries(STARTS)) {
    const own = path.join(folder, name);
    mkdirSync(own);
    for (const file of ['certificate.pem', 'key.pem']) writeFileSync(path.join(own, file), read(folder, file));
    const [http, tls] = [await freePort(), await freePort()];
    const [program, ...rest] = await prepare({ folder: own, upstream, http, tls });
    const child = spawn(program, rest, { stdio: 'ignore', env: withSystemPrograms() });
    if (await isUp(child, tls))
      started.push({ name, http, tls, pid: child.pid ?? 0, stop: () => child.kill('SIGKILL') });
    else say(`${name} is not here, or does not start: no figures against it`);
  }
  return started;
}

/** Debian keeps servers where not everybody looks. */
function withSystemPrograms(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
}

async function isUp(child: ChildProcess, port: number): Promise<boolean> {
  const state = { over: false };
  const end = (): void => {
    state.over = true;
  };
  child.once('exit', end).once('error', end);
  while (!state.over) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (await accepts(port)) return true;
  }
  return false;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function makeCertificate(folder: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${folder}/key.pem`];
  const rest = ['-x509', ...key, '-out', `${folder}/certificate.pem`, '-days', '1', '-subj', '/CN=bench.test'];
  const { status, stderr } = spawnSync('openssl', ['req', ...rest, '-addext', 'subjectAltName=DNS:bench.test']);
  if (status !== 0) throw new Error(`openssl made no certificate: ${String(stderr)}`);
}

const metadata = (name: string): object => ({ name, namespace: 'bench' });

function resources({ folder, upstream, http, tls }: Setup): readonly object[] {
  const listeners = [
    { name: 'http', port: http, protocol: 'HTTP' },
    { name: 'tls', port: tls, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'certificate' }] } },
  ];
  const backendRefs = [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'up' }];
  return [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: metadata('gw'),
      spec: { gatewayClassName: 'bench', listeners },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: metadata('all'),
      spec: { parentRefs: [{ name: 'gw' }], rules: [{ backendRefs }] },
    },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata: metadata('up'),
      // What came over HTTP/2 would go on over HTTP/2.
      spec: { static: { host: '127.0.0.1', port: upstream }, policies: { http: { version: 'HTTP1' } } },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: metadata('certificate'),
      stringData: { 'tls.crt': read(folder, 'certificate.pem'), 'tls.key': read(folder, 'key.pem') },
    },
  ];
}

function read(folder: string, file: string): string {
  return readFileSync(path.join(folder, file), 'utf8');
}
