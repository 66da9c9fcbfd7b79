import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PeerName } from './routes.ts';

export interface Setup {
  readonly port: number;
  /** Where each peer listens, now and after every restart. */
  readonly peers: Readonly<Record<PeerName, number>>;
  /** The JSON Web Key Set the good token is signed with. */
  readonly keySet: string;
  /** What the local rate limit lets pass each second. */
  readonly perSecond: number;
}

const GATEWAY = 'gateway.networking.k8s.io/v1';
const OURS = 'proxy.example/v1alpha1';
const namespace = 'soak';

/** Writes the configuration of the soak: one route per ask, each with the policy under load. */
export function writeConfiguration(folder: string, setup: Setup): void {
  mkdirSync(folder, { recursive: true });
  const documents = items(setup).map((item) => JSON.stringify(item));
  writeFileSync(path.join(folder, 'soak.yaml'), documents.join('\n---\n'));
}

/** Routes that lead elsewhere than to the upstream nobody touches. */
const BACKENDS: Readonly<Record<string, PeerName | 'exchanged'>> = {
  flaky: 'flaky',
  retried: 'flaky',
  exchanged: 'exchanged',
};

const backendRef = (name: PeerName | 'exchanged'): object => ({ group: 'proxy.example', kind: 'ProxyBackend', name });

function items({ port, peers, keySet, perSecond }: Setup): readonly object[] {
  const policies: Readonly<Record<string, object>> = {
    retried: { retry: { codes: [503], attempts: 2 } },
    token: { jwtAuthentication: { providers: [{ issuer: 'https://soak.test', jwks: { inline: keySet } }] } },
    remote: {
      jwtAuthentication: {
        providers: [
          {
            issuer: 'https://soak.test',
            jwks: { remote: { jwksPath: '/keys', cacheDuration: '1s', backendRef: backendRef('keys') } },
          },
        ],
      },
    },
    key: { apiKeyAuthentication: { secretRef: { name: 'keys' } } },
    user: { basicAuthentication: { users: ['alice:{SHA}w3QkzGJswDXW5OKZHAJw0FELjfM='] } },
    asked: { extAuth: { backendRef: backendRef('authorization'), grpc: {} } },
    'asked-open': { extAuth: { backendRef: backendRef('authorization'), grpc: {}, failureMode: 'FailOpen' } },
    processed: { extProc: { backendRef: backendRef('processor') } },
    counted: { rateLimit: { global: counted(backendRef('limits'), 'FailClosed') } },
    'counted-open': { rateLimit: { global: counted(backendRef('limits'), 'FailOpen') } },
    limited: { rateLimit: { local: [{ requests: perSecond, unit: 'Seconds' }] } },
    buffered: { buffer: { request: { maxBytes: '1Ki' } } },
    csrf: { csrf: {} },
    transformed: {
      transformation: { request: { set: [{ name: 'x-model', value: 'json(request.body).model' }] } },
    },
    direct: { directResponse: { status: 418, body: 'short and stout' } },
    delayed: { delay: { duration: '2ms' } },
  };
  const names = ['plain', 'flaky', 'exchanged', ...Object.keys(policies)];
  return [
    {
      apiVersion: GATEWAY,
      kind: 'Gateway',
      metadata: { name: 'gw', namespace },
      spec: { gatewayClassName: 'soak', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
    },
    ...Object.entries(peers).map(([name, at]) => ({
      apiVersion: OURS,
      kind: 'ProxyBackend',
      metadata: { name, namespace },
      spec: { static: { host: '127.0.0.1', port: at } },
    })),
    {
      apiVersion: OURS,
      kind: 'ProxyBackend',
      metadata: { name: 'exchanged', namespace },
      spec: {
        static: { host: '127.0.0.1', port: peers.steady },
        policies: { auth: { oauthTokenExchange: { backendRef: backendRef('keys'), path: '/token' } } },
      },
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace }, stringData: { one: 'good' } },
    ...names.map((name) => ({
      apiVersion: GATEWAY,
      kind: 'HTTPRoute',
      metadata: { name, namespace },
      spec: {
        parentRefs: [{ name: 'gw' }],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
            backendRefs: [backendRef(BACKENDS[name] ?? 'steady')],
          },
        ],
      },
    })),
    ...Object.entries(policies).map(([name, traffic]) => ({
      apiVersion: OURS,
      kind: 'ProxyPolicy',
      metadata: { name, namespace },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }],
        traffic,
      },
    })),
  ];
}

function counted(server: object, failureMode: string): object {
  return {
    backendRef: server,
    failureMode,
    domain: 'soak',
    descriptors: [{ entries: [{ name: 'path', expression: 'request.path' }] }],
  };
}
