import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { startPeers } from '../../peers/peers.ts';
import { backendAt, startReferenceProxy } from './reference-proxy.ts';

/** Providers the reference stands in front of, each under a path of its own name. */
export const PROVIDERS = {
  vendor1: { provider: { vendor1: {} }, speaks: ['Completions', 'Responses'] },
  vendor4: { provider: { vendor4: {} }, speaks: 'Messages' },
  custom: { provider: { custom: { formats: [{ type: 'Completions' }] } }, speaks: 'Completions' },
  responses: { provider: { custom: { formats: [{ type: 'Responses' }] } }, speaks: 'Responses' },
} as const;

export type Provider = keyof typeof PROVIDERS;

const KEY = 'key-of-the-provider';
const CLOUD_A = { accessKey: 'AKIDEXAMPLE', secretKey: 'secret-of-the-proxy' };
const SIGNED = { cloudA: { secretRef: { name: 'cloud-a' }, serviceName: 'bedrock', region: 'us-east-1' } };
const ASIS = ['Detect', 'Passthrough'] as const;
const RERANK = ['Rerank'] as const;

/** Providers that clients speak to under the paths of their own, and how much of it is read. */
const NATIVE = {
  vendor5: {
    provider: { vendor5: {} },
    peer: { format: 'GenerateContent', key: KEY },
    auth: { key: KEY, location: { header: { name: 'x-goog-api-key' } } },
    types: ASIS,
  },
  vendor6: {
    provider: { vendor6: { projectId: 'p' } },
    peer: { format: 'Rank', key: KEY },
    auth: { key: KEY },
    types: RERANK,
  },
  vendor7: {
    provider: { vendor7: {} },
    peer: { format: ['Converse', 'AgentRerank'], signed: CLOUD_A },
    auth: SIGNED,
    types: [...ASIS, ...RERANK],
  },
  reranker: {
    provider: { custom: { formats: [{ type: 'Rerank', path: '/v2/rerank' }] } },
    peer: { format: 'Rerank', path: '/v2/rerank', key: KEY },
    auth: { key: KEY },
    types: RERANK,
  },
  // A format that no mock speaks: what it answers, the script says.
  anything: {
    provider: { vendor1: {} },
    peer: { format: 'Completions', takes: 'anything' },
    auth: { key: KEY },
    types: ASIS,
  },
} as const;

export type NativeProvider = keyof typeof NATIVE;

/** The reference between the official client libraries and providers that are as strict as the real ones. */
export interface LlmProxy extends AsyncDisposable {
  readonly openai: (provider: Provider) => OpenAI;
  readonly anthropic: (provider: Provider) => Anthropic;
  /** Where a provider is spoken to in its own words; the paths of its client follow. */
  readonly native: (provider: NativeProvider, type: 'Detect' | 'Passthrough' | 'Rerank') => string;
}

/** Starts a provider of each kind with this script, and the reference before them. */
export async function startLlmProxy(script: object): Promise<LlmProxy> {
  const names = Object.entries(PROVIDERS);
  const natives = Object.entries(NATIVE);
  const peers = await startPeers({
    ...Object.fromEntries(
      names.map(([name, { speaks }]) => [name, { kind: 'llm', format: speaks, key: KEY, ...script }]),
    ),
    ...Object.fromEntries(natives.map(([name, { peer }]) => [name, { kind: 'llm', ...peer, ...script }])),
  });
  const backends = names.flatMap(([name, { provider }]) =>
    backend(name, { ...provider, ...at(peers.get(name).port) }, { auth: { key: KEY }, ai: { routes: ROUTES } }),
  );
  const nativeBackends = natives.flatMap(([name, { provider, auth, types }]) =>
    types.flatMap((type) =>
      backend(
        `${name}-${type.toLowerCase()}`,
        { ...provider, ...at(peers.get(name).port) },
        { auth, ai: { routes: { '*': type } } },
        '/',
      ),
    ),
  );
  const proxy = await startReferenceProxy([secret(), ...backends, ...nativeBackends]);
  const { url } = proxy;
  return {
    openai: (provider) => new OpenAI({ apiKey: 'of-the-client', baseURL: `${url}/${provider}/v1`, maxRetries: 0 }),
    anthropic: (provider) => new Anthropic({ apiKey: 'of-the-client', baseURL: `${url}/${provider}`, maxRetries: 0 }),
    native: (provider, type) => `${url}/${provider}-${type.toLowerCase()}`,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await peers.stop();
    },
  };
}

function secret(): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'cloud-a', namespace: 'ns' }, stringData: CLOUD_A };
}

const ROUTES = { '/chat/completions': 'Completions', '/messages': 'Messages', '/responses': 'Responses' };

function at(port: number): object {
  return { host: '127.0.0.1', port };
}

/** A provider under a path of its own, which is taken off where `rewrite` says what takes its place. */
function backend(name: string, provider: object, policies: object, rewrite?: string): readonly object[] {
  return backendAt(name, { ai: { provider }, policies }, rewrite);
}
