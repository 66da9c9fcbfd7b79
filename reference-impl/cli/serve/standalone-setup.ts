/**
 * CLI-003: the reference setup without any configuration: HTTP on port 3000, everything to 127.0.0.1:8000.
 * docs/decisions/standalone-files.md
 */
export const STANDALONE_SETUP: readonly object[] = [
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'standalone', namespace: 'default' },
    spec: { gatewayClassName: 'refproxy', listeners: [{ name: 'http', port: 3000, protocol: 'HTTP' }] },
  },
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'standalone', namespace: 'default' },
    spec: {
      parentRefs: [{ name: 'standalone' }],
      rules: [{ backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'standalone' }] }],
    },
  },
  {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { name: 'standalone', namespace: 'default' },
    spec: { static: { host: '127.0.0.1', port: 8000 } },
  },
];
