import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes the configuration of a reference with three routes to one provider: plain, translated and guarded. */
export function writeAiConfiguration(folder: string, port: number, provider: number): void {
  mkdirSync(folder, { recursive: true });
  const resources = [gateway(port), ...Object.keys(ROUTES).map(route), ...backends(provider), guard()];
  writeFileSync(path.join(folder, 'ai.yaml'), resources.map((resource) => JSON.stringify(resource)).join('\n---\n'));
}

/** Path by backend. */
const ROUTES = { plain: '/plain', guarded: '/guarded' } as const;

const GATEWAY_API = 'gateway.networking.k8s.io/v1';
const PROXY_API = 'proxy.example/v1alpha1';

function gateway(port: number): object {
  return {
    apiVersion: GATEWAY_API,
    kind: 'Gateway',
    metadata: { name: 'gw', namespace: 'bench' },
    spec: { gatewayClassName: 'bench', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
  };
}

function route(name: string): object {
  const value = ROUTES[name as keyof typeof ROUTES];
  return {
    apiVersion: GATEWAY_API,
    kind: 'HTTPRoute',
    metadata: { name, namespace: 'bench' },
    spec: {
      parentRefs: [{ name: 'gw' }],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value } }],
          backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name }],
        },
      ],
    },
  };
}

function backends(port: number): object[] {
  return Object.keys(ROUTES).map((name) => ({
    apiVersion: PROXY_API,
    kind: 'ProxyBackend',
    metadata: { name, namespace: 'bench' },
    spec: { ai: { provider: { vendor1: {}, host: '127.0.0.1', port } } },
  }));
}

/** Every builtin pattern, and one of the operator's. Nothing in the load matches: what is measured is the search. */
function guard(): object {
  const builtins = ['Ssn', 'CreditCard', 'PhoneNumber', 'Email', 'CaSin'];
  return {
    apiVersion: PROXY_API,
    kind: 'ProxyPolicy',
    metadata: { name: 'guard', namespace: 'bench' },
    spec: {
      targetRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'guarded' }],
      backend: {
        ai: { promptGuard: { request: [{ regex: { builtins, matches: ['secret-[a-z]+'], action: 'Reject' } }] } },
      },
    },
  };
}
