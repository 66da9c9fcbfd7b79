/** Where a setting can come from. docs/decisions/merge-levels.md */
export type Level =
  | 'gateway'
  | 'gatewayPort'
  | 'listenerSet'
  | 'listener'
  | 'route'
  | 'routeRule'
  | 'destination'
  | 'section'
  | 'inline'
  | 'provider'
  | 'mcpTarget'
  | 'backendRef';

/** MERGE-017: the two phases of traffic are two domains that never merge with each other. */
export type TrafficPhase = 'PreRouting' | 'PostRouting';

/**
 * THE order of precedence, least specific first. `inline` is what the object itself says: the filters and timeouts of
 * an HTTPRoute rule for traffic, `spec.policies` of a ProxyBackend for backend settings.
 */
export const PRECEDENCE = {
  // MERGE-018: only what is known before a route is chosen.
  PreRouting: ['gateway', 'listenerSet', 'listener'],
  // MERGE-011, MERGE-012, MERGE-013; the place of ListenerSet is our reading of MERGE-021.
  PostRouting: ['gateway', 'listenerSet', 'listener', 'route', 'routeRule', 'inline'],
  // MERGE-014, MERGE-015; MERGE-001 puts the backend's own settings above every attached policy.
  backend: [
    'gateway',
    'listenerSet',
    'listener',
    'route',
    'routeRule',
    'destination',
    'section',
    'inline',
    // PROV-007
    'provider',
    // MCP-029
    'mcpTarget',
    'backendRef',
  ],
  // ATTACH-012: a policy for one port is more specific than one for the whole Gateway.
  frontend: ['gateway', 'gatewayPort'],
} as const satisfies Record<string, readonly Level[]>;

export type Domain = keyof typeof PRECEDENCE;

/** Fields whose values of all levels hold together instead of replacing each other (AUTHZ-005, AUTHZ-006). */
export const ACCUMULATING: ReadonlySet<string> = new Set(['authorization', 'networkAuthorization']);
