import { parse } from 'yaml';

/** Resources around a fragment written in YAML, so that a test shows only what it is about. */
export type Around = (fragment: unknown) => unknown;

const ours = (kind: string, spec: unknown): unknown => ({
  apiVersion: 'proxy.example/v1alpha1',
  kind,
  metadata: { name: 'x' },
  spec,
});
const TARGET = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gw' };
const fieldOf =
  (outer: Around, ...path: string[]): Around =>
  (inner) =>
    outer(path.reduceRight<unknown>((nested, name) => ({ [name]: nested }), inner));

export const backend: Around = (spec) => ours('ProxyBackend', spec);
export const policy: Around = (spec) => ours('ProxyPolicy', spec);
export const model: Around = (spec) => ours('ProxyModel', { parentRefs: [{ name: 'gw' }], ...Object(spec) });
export const parameters: Around = (spec) => ours('ProxyParameters', spec);

const onGateway: Around = (parts) => policy({ targetRefs: [TARGET], ...Object(parts) });
export const traffic = fieldOf(onGateway, 'traffic');
export const frontend = fieldOf(onGateway, 'frontend');
export const backendPolicy = fieldOf(onGateway, 'backend');
export const auth = fieldOf(backendPolicy, 'auth');
export const oauth = fieldOf(auth, 'oauthTokenExchange');
export const clientAuth: Around = (inner) => oauth({ backendRef: { name: 'as', port: 1 }, clientAuth: inner });
export const privateKeyJwt: Around = (inner) =>
  clientAuth({ clientId: 'c', method: 'PrivateKeyJwt', privateKeyJwt: inner });
export const promptGuard = fieldOf(backendPolicy, 'ai', 'promptGuard');
export const aiBackend = fieldOf(backend, 'ai');
export const provider = fieldOf(aiBackend, 'provider');
export const mcpTarget: Around = (inner) => backend({ mcp: { targets: [{ name: 'a', ...Object(inner) }] } });

export function fragment(text: string): unknown {
  return parse(text);
}
