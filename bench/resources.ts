import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const GATEWAY_API = 'gateway.networking.k8s.io/v1';
const PROXY_API = 'proxy.example/v1alpha1';

/** A resource of the proxy's own group in the namespace of the benchmarks. */
export function proxyResource(kind: 'ProxyBackend' | 'ProxyPolicy', name: string, spec: object): object {
  return { apiVersion: PROXY_API, kind, metadata: { name, namespace: 'bench' }, spec };
}

/** A Gateway with one HTTP listener. */
export function gatewayAt(port: number): object {
  return {
    apiVersion: GATEWAY_API,
    kind: 'Gateway',
    metadata: { name: 'gw', namespace: 'bench' },
    spec: { gatewayClassName: 'bench', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
  };
}

/** A route of that Gateway which leads a path prefix to the ProxyBackend of its own name. */
export function routeTo(name: string, prefix: string): object {
  return {
    apiVersion: GATEWAY_API,
    kind: 'HTTPRoute',
    metadata: { name, namespace: 'bench' },
    spec: {
      parentRefs: [{ name: 'gw' }],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: prefix } }],
          backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name }],
        },
      ],
    },
  };
}

/** Writes resources into one file of a folder, which is made where it is not there. */
export function writeResources(folder: string, file: string, resources: readonly object[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, file), resources.map((resource) => JSON.stringify(resource)).join('\n---\n'));
}
