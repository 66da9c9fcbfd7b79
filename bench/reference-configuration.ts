import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const GROUP = 'proxy.example';
const GATEWAY = 'gateway.networking.k8s.io';

export interface Shape {
  readonly port: number;
  readonly upstream: number;
  readonly routes: number;
  readonly policies: number;
}

/** The host and path whose route every request of the load takes: one in the middle, neither first nor last. */
export function target({ routes: count }: Shape): { readonly host: string; readonly path: string } {
  const middle = Math.floor(count / 2);
  return { host: `h${middle % 100}.bench.test`, path: `/p${middle}/x` };
}

/** Writes the resources of one reference contender into a folder. */
export function writeConfiguration(folder: string, shape: Shape): void {
  mkdirSync(folder, { recursive: true });
  const documents = resources(shape).map((resource) => JSON.stringify(resource));
  writeFileSync(path.join(folder, 'bench.yaml'), documents.join('\n---\n'));
}

/** The resources of one reference contender, as they are written. */
export function resources(shape: Shape): readonly object[] {
  return [gateway(shape), backend(shape), ...routes(shape), ...policies(shape)];
}

function gateway({ port }: Shape): object {
  return {
    apiVersion: `${GATEWAY}/v1`,
    kind: 'Gateway',
    metadata: { name: 'gw', namespace: 'bench' },
    spec: { gatewayClassName: 'bench', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
  };
}

function backend({ upstream }: Shape): object {
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'ProxyBackend',
    metadata: { name: 'up', namespace: 'bench' },
    spec: { static: { host: '127.0.0.1', port: upstream } },
  };
}

function routes({ routes: count }: Shape): object[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: `${GATEWAY}/v1`,
    kind: 'HTTPRoute',
    metadata: { name: `r${index}`, namespace: 'bench' },
    spec: {
      parentRefs: [{ name: 'gw' }],
      hostnames: [`h${index % 100}.bench.test`],
      rules: [
        {
          name: 'rule',
          matches: [{ path: { type: 'PathPrefix', value: `/p${index}` } }],
          backendRefs: [{ group: GROUP, kind: 'ProxyBackend', name: 'up' }],
        },
      ],
    },
  }));
}

/** Ten policies that all act on the request of the load; fewer take the first ones. */
function policies({ policies: count, routes: total }: Shape): object[] {
  const route = { group: GATEWAY, kind: 'HTTPRoute', name: `r${Math.floor(total / 2)}` };
  const gatewayRef = { group: GATEWAY, kind: 'Gateway', name: 'gw' };
  const listener = { ...gatewayRef, sectionName: 'http' };
  const rule = { ...route, sectionName: 'rule' };
  const backendRef = { group: GROUP, kind: 'ProxyBackend', name: 'up' };
  const sections: readonly [target: object, sections: object][] = [
    [gatewayRef, { traffic: { phase: 'PreRouting', transformation: set('x-pre', "'gateway'") } }],
    [gatewayRef, { traffic: { phase: 'PreRouting', authorization: allow("request.method == 'GET'") } }],
    [gatewayRef, { traffic: { timeouts: { request: '30s' } } }],
    [listener, { traffic: { transformation: set('x-listener', 'request.path') } }],
    [listener, { traffic: { authorization: allow("request.path.startsWith('/p')") } }],
    [
      route,
      {
        traffic: {
          headerModifiers: {
            request: { set: [{ name: 'x-set', value: 'route' }] },
            response: { set: [{ name: 'x-out', value: 'route' }] },
          },
        },
      },
    ],
    [route, { traffic: { transformation: set('x-user-2', "request.headers['x-user']") } }],
    [rule, { traffic: { timeouts: { request: '20s' } } }],
    [gatewayRef, { backend: { http: { requestTimeout: '10s' } } }],
    [backendRef, { backend: { tcp: { connectTimeout: '5s' } } }],
  ];
  return sections.slice(0, count).map(([targetRef, spec], index) => ({
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'ProxyPolicy',
    metadata: { name: `p${index}`, namespace: 'bench' },
    spec: { targetRefs: [targetRef], ...spec },
  }));
}

function set(name: string, value: string): object {
  return { request: { set: [{ name, value }] } };
}

function allow(expression: string): object {
  return { policy: { matchExpressions: [expression] } };
}
