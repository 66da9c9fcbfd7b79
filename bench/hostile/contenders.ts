import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { freePort } from '../../conformance/runner/sut/ports.ts';
import type { Upstreams } from './upstreams.ts';

/** A proxy in front of the upstreams. */
export interface Contender {
  readonly name: string;
  readonly port: number;
  readonly ended: () => boolean;
  readonly stop: () => void;
}

/** The reference, with a route to each of the upstreams. `folder` is empty. */
export async function startReference(folder: string, upstreams: Upstreams): Promise<Contender> {
  const port = await freePort();
  writeFileSync(path.join(folder, 'reference.json'), JSON.stringify(referenceConfiguration(port, upstreams)));
  const rest = ['serve', '--config', path.join(folder, 'reference.json'), '--log-level', 'error'];
  const child = spawn('node', ['bin/refproxy.mjs', ...rest, '--admin-port', String(await freePort())], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  return whenOpen('reference', port, child);
}

/** nginx with the same routes; undefined where it is not installed. */
export async function startNginx(
  folder: string,
  { requestsPort, answersPort }: Upstreams,
): Promise<Contender | undefined> {
  const program = [
    '/usr/sbin/nginx',
    ...(process.env['PATH'] ?? '').split(path.delimiter).map((one) => path.join(one, 'nginx')),
  ];
  const found = program.find((one) => existsSync(one));
  if (found === undefined) return undefined;
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  );
  mkdirSync(path.join(folder, 'logs'), { recursive: true });
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}
http { access_log off; ${temporary.join(' ')}
  server { listen 127.0.0.1:${port}; proxy_http_version 1.1;
    location / { proxy_pass http://127.0.0.1:${requestsPort}; }
    location /answer/ { proxy_pass http://127.0.0.1:${answersPort}; }
  }
}`,
  );
  return whenOpen('nginx', port, spawn(found, ['-p', folder, '-c', file], { stdio: 'ignore' }));
}

async function whenOpen(name: string, port: number, child: ChildProcess): Promise<Contender> {
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  while (!(await accepts(port))) if (ended) throw new Error(`${name} does not start`);
  return { name, port, ended: () => ended, stop: () => child.kill('SIGKILL') };
}

async function accepts(port: number): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function referenceConfiguration(port: number, { requestsPort, answersPort }: Upstreams): object {
  const items = [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'gw' },
      spec: { gatewayClassName: 'x', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'r' },
      spec: { parentRefs: [{ name: 'gw' }], rules: [rule('/', 'requests'), rule('/answer', 'answers')] },
    },
    backend('requests', requestsPort),
    backend('answers', answersPort),
  ];
  return { apiVersion: 'v1', kind: 'List', items };
}

function backend(name: string, upstream: number): object {
  return {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { name },
    spec: { static: { host: '127.0.0.1', port: upstream } },
  };
}

function rule(prefix: string, name: string): object {
  return {
    matches: [{ path: { type: 'PathPrefix', value: prefix } }],
    backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name }],
  };
}
