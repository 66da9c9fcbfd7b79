/*
 * THE NAMES under which a trace speaks of policies. The documents leave them open (TRACE-012, TRACE-036).
 */

/** What one field of the effective policy is called. */
export interface PolicyNames {
  /** `kind` of its `policy` events; a policy without one reports in a message of its own. */
  readonly kind?: string;
  /** Stage of the snapshot after its request half, by phase; a phase that is not named has none. */
  readonly stages?: Partial<Record<PolicyPhase, string>>;
  /** The same of its response half. */
  readonly responseStages?: Partial<Record<PolicyPhase, string>>;
  /** The fact that a request has once the policy accepted its sender; without it the policy let it pass unasked. */
  readonly fact?: 'jwt' | 'basicAuth' | 'apiKey';
}

export type PolicyPhase = 'gateway' | 'route' | 'backend';

/** By field, in the order of the pipeline. */
export const POLICY_NAMES: Readonly<Record<string, PolicyNames>> = {
  retry: { kind: 'retry' },
  cors: { kind: 'cors', stages: { gateway: 'gateway cors', route: 'cors' } },
  jwtAuthentication: { kind: 'jwt', stages: { gateway: 'gateway jwt', route: 'jwt auth' }, fact: 'jwt' },
  basicAuthentication: {
    kind: 'basic_auth',
    stages: { gateway: 'gateway basic auth', route: 'basic auth' },
    fact: 'basicAuth',
  },
  apiKeyAuthentication: {
    kind: 'api_key',
    stages: { gateway: 'gateway api key', route: 'api key' },
    fact: 'apiKey',
  },
  extAuth: {
    kind: 'ext_auth',
    stages: { gateway: 'gateway ext authz', route: 'ext authz', backend: 'backend ext authz' },
  },
  // Says what it decided in an authorizationResult.
  authorization: {
    stages: { gateway: 'gateway authorization', route: 'authorization', backend: 'backend authorization' },
  },
  'rateLimit.local': { kind: 'local_rate_limit', stages: { route: 'local rate limit' } },
  'rateLimit.global': { kind: 'remote_rate_limit', stages: { route: 'remote rate limit' } },
  buffer: { kind: 'buffer', stages: { route: 'buffer' } },
  extProc: { kind: 'ext_proc', stages: { gateway: 'gateway ext proc', route: 'ext proc' } },
  auth: { kind: 'backend_auth', stages: { backend: 'backend auth' } },
  transformation: {
    kind: 'transformation',
    stages: { gateway: 'gateway transformation', route: 'transformation', backend: 'backend transformation' },
  },
  csrf: { kind: 'csrf', stages: { route: 'csrf' } },
  headerModifiers: {
    kind: 'header_modifier',
    stages: { route: 'request header modifier', backend: 'backend request header modifier' },
    responseStages: { route: 'response header modifier', backend: 'backend response header modifier' },
  },
  urlRewrite: { kind: 'url_rewrite', stages: { route: 'url rewrite' } },
  requestRedirect: { kind: 'request_redirect', stages: { route: 'request redirect' } },
  delay: { kind: 'delay', stages: { route: 'delay' } },
  directResponse: { kind: 'direct_response', stages: { route: 'direct response' } },
};

/** Snapshot of an answer after the fields that cors, extAuth and rateLimit kept for it. */
export const REPLY_HEADERS_STAGE = 'response headers';
