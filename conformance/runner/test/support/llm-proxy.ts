import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPeers } from '../../peers/peers.ts';
import { freePort } from '../../sut/ports.ts';

/** Providers the reference stands in front of, each under a path of its own name. */
export const PROVIDERS = {
  vendor1: { provider: { vendor1: {} }, speaks: ['Completions', 'Responses'] },
  vendor4: { provider: { vendor4: {} }, speaks: 'Messages' },
  custom: { provider: { custom: { formats: [{ type: 'Completions' }] } }, speaks: 'Completions' },
  responses: { provider: { custom: { formats: [{ type: 'Responses' }] } }, speaks: 'Responses' },
} as const;

export type Provider = keyof typeof PROVIDERS;

/** The reference between the official client libraries and providers that are as strict as the real ones. */
export interface LlmProxy extends AsyncDisposable {
  readonly openai: (provider: Provider) => OpenAI;
  readonly anthropic: (provider: Provider) => Anthropic;
}

/** Starts a provider of each kind with this script, and the reference before them. */
export async function startLlmProxy(script: object): Promise<LlmProxy> {
  const key = 'key-of-the-provider';
  const names = Object.entries(PROVIDERS);
  const peers = await startPeers(
    Object.fromEntries(names.map(([name, { speaks }]) => [name, { kind: 'llm', format: speaks, key, ...script }])),
  );
  const port = await freePort();
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-clients-'));
  const backends = names.flatMap(([name, { provider }]) => backend(name, provider, peers.get(name).port, key));
  const items = [...gateway(port), ...backends];
  await writeFile(path.join(folder, 'all.json'), JSON.stringify({ kind: 'List', apiVersion: 'v1', items }));
  const proxy = spawn(
    process.execPath,
    ['bin/refproxy.mjs', 'serve', '--config', folder, '--admin-port', String(await freePort())],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await ready(proxy);
  const url = `http://127.0.0.1:${port}`;
  return {
    openai: (provider) => new OpenAI({ apiKey: 'of-the-client', baseURL: `${url}/${provider}/v1`, maxRetries: 0 }),
    anthropic: (provider) => new Anthropic({ apiKey: 'of-the-client', baseURL: `${url}/${provider}`, maxRetries: 0 }),
    [Symbol.asyncDispose]: async () => {
      const ended = once(proxy, 'exit');
      proxy.kill();
      await ended;
      await peers.stop();
      await rm(folder, { recursive: true });
    },
  };
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

/** A provider with its formats by path, under a path of its own. */
function backend(name: string, provider: object, port: number, key: string): readonly object[] {
  const metadata = { name, namespace: 'ns' };
  const routes = { '/chat/completions': 'Completions', '/messages': 'Messages', '/responses': 'Responses' };
  return [
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata,
      spec: {
        ai: { provider: { ...provider, host: '127.0.0.1', port } },
        policies: { auth: { key }, ai: { routes } },
      },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata,
      spec: {
        parentRefs: [{ name: 'gw' }],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
            backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name }],
          },
        ],
      },
    },
  ];
}
