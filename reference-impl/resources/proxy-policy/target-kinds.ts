/** What a policy may attach to, and in which of its parts (ATTACH-001). Groups as the API servers spell them. */
export const TARGET_KINDS: readonly TargetKind[] = [
  { kind: 'Gateway', group: 'gateway.networking.k8s.io', parts: ['frontend', 'traffic', 'backend'] },
  { kind: 'ListenerSet', group: 'gateway.networking.k8s.io', parts: ['traffic', 'backend'] },
  { kind: 'HTTPRoute', group: 'gateway.networking.k8s.io', parts: ['traffic', 'backend'] },
  { kind: 'GRPCRoute', group: 'gateway.networking.k8s.io', parts: ['traffic', 'backend'] },
  { kind: 'Service', group: '', parts: ['backend'] },
  { kind: 'ProxyBackend', group: 'proxy.example', parts: ['backend'] },
  { kind: 'InferencePool', group: 'inference.networking.k8s.io', parts: ['backend'] },
];

/** The parts of Traffic that can run before a route is known: docs/decisions/policy-order.md */
export const BEFORE_ROUTING: ReadonlySet<string> = new Set([
  'phase',
  'cors',
  'jwtAuthentication',
  'basicAuthentication',
  'apiKeyAuthentication',
  'extAuth',
  'authorization',
  'extProc',
  'transformation',
]);

export type Part = 'frontend' | 'traffic' | 'backend';

export interface TargetKind {
  readonly kind: string;
  readonly group: string;
  readonly parts: readonly Part[];
}
