import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../sut/ports.ts';
import { START_ROOM } from '../../values/start-room.ts';

/** The reference as a program of its own, for tests in which somebody else's client speaks through it. */
export interface ReferenceProxy extends AsyncDisposable {
  /** Of its one listener, without a slash at its end. */
  readonly url: string;
  /** Of its admin listener. */
  readonly admin: string;
}

/**
 * Starts it with a Gateway `gw` in the namespace `ns` and these resources, and with these variables beside those of the test. Rejects with
 * what it says when it ends instead.
 */
export async function startReferenceProxy(
  resources: readonly object[],
  env: Readonly<Record<string, string>> = {},
): Promise<ReferenceProxy> {
  const port = await freePort();
  const adminPort = await freePort();
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-clients-'));
  const items = [...gateway(port), ...resources];
  await writeFile(path.join(folder, 'all.json'), JSON.stringify({ kind: 'List', apiVersion: 'v1', items }));
  const proxy = spawn(
    process.execPath,
    [...START_ROOM, 'bin/refproxy.mjs', 'serve', '--config', folder, '--admin-port', String(adminPort)],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } },
  );
  await ready(proxy);
  return {
    url: `http://127.0.0.1:${port}`,
    admin: `http://127.0.0.1:${adminPort}`,
    [Symbol.asyncDispose]: async () => {
      const ended = once(proxy, 'exit');
      proxy.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** A ProxyBackend under a path of its own name, to which the rest of the path is appended where `rewrite` says so. */
export function backendAt(name: string, spec: object, rewrite?: string): readonly object[] {
  const metadata = { name, namespace: 'ns' };
  const replacePrefixMatch = rewrite ?? '';
  const filters = [{ type: 'URLRewrite', urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch } } }];
  return [
    { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyBackend', metadata, spec },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata,
      spec: {
        parentRefs: [{ name: 'gw' }],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
            ...(rewrite !== undefined && { filters }),
            backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name }],
          },
        ],
      },
    },
  ];
}

/** Resolves with the line that says so; rejects with everything the proxy said instead. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('refproxy ready')) resolve();
    });
    child.once('exit', () => reject(new Error(said)));
  });
}

function gateway(port: number): readonly object[] {
  const group = 'gateway.networking.k8s.io/v1';
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
  ];
}
