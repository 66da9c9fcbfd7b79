import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Path and name of the called tool, by how many targets there are: each is the one server, under another name. */
export const ROUTES = {
  one: { path: '/one', targets: 1, tool: 'say' },
  ten: { path: '/ten', targets: 10, tool: 't5_say' },
} as const;

/** Writes the configuration of a reference with a backend of one target and a backend of ten. */
export function writeMcpConfiguration(folder: string, port: number, server: number): void {
  mkdirSync(folder, { recursive: true });
  const resources = [gateway(port), ...Object.keys(ROUTES).flatMap((name) => [route(name), backend(name, server)])];
  writeFileSync(path.join(folder, 'mcp.yaml'), resources.map((resource) => JSON.stringify(resource)).join('\n---\n'));
}

const GATEWAY_API = 'gateway.networking.k8s.io/v1';

function gateway(port: number): object {
  return {
    apiVersion: GATEWAY_API,
    kind: 'Gateway',
    metadata: { name: 'gw', namespace: 'bench' },
    spec: { gatewayClassName: 'bench', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
  };
}

function route(name: string): object {
  const value = ROUTES[name as keyof typeof ROUTES].path;
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

function backend(name: string, port: number): object {
  const { targets: count } = ROUTES[name as keyof typeof ROUTES];
  const served = { host: '127.0.0.1', port, protocol: 'StreamableHTTP' };
  return {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { name, namespace: 'bench' },
    spec: { mcp: { targets: Array.from({ length: count }, (_, index) => ({ name: `t${index}`, static: served })) } },
  };
}
