/** What the proxy itself can fail with. */
export type ProxyErrorCode = keyof typeof PROXY_ERRORS;

export interface ProxyErrorEntry {
  readonly status: number;
  /** The text of the answer; a detail follows after `: `. */
  readonly text: string;
  /** The class named in logs. */
  readonly reason: string;
  /** Set when clients are told in JSON, as APIs of language models do: the code of the error. */
  readonly apiCode?: string;
  /** The detail of a failure behind the proxy is for the client too: it holds no address and no text of a library. */
  readonly isToldInDetail?: true;
  /** Nobody answered: the endpoint is to blame for it (HEALTH-003), and another attempt may fare better. */
  readonly silent?: true;
}

/**
 * One row per way to fail. The rows are the whole list: nothing else makes the proxy answer on its own.
 * docs/decisions/error-bodies.md
 */
export const PROXY_ERRORS = {
  invalidRequest: { status: 400, text: 'invalid request', reason: 'Internal' },
  // JWT-020, BASIC-017: the documents give no number.
  authenticationFailed: { status: 401, text: 'authentication failure', reason: 'JwtAuth' },
  basicAuthenticationFailed: { status: 401, text: 'basic authentication failure', reason: 'BasicAuth' },
  apiKeyAuthenticationFailed: { status: 401, text: 'api key authentication failure', reason: 'APIKeyAuth' },
  // AUTHZ-013: a request the rules do not let through.
  authorizationFailed: { status: 403, text: 'authorization failed', reason: 'Authorization' },
  // EXTAUTH-002, EXTAUTH-003: no decision, or one without an answer for the client.
  extAuthFailed: { status: 403, text: 'external authorization failed', reason: 'ExtAuth' },
  // CSRF-003: a request that a page of another origin caused.
  csrfFailed: { status: 403, text: 'CSRF validation failed', reason: 'Authorization' },
  // An LLM request that cannot be read, or that the provider has no way to take.
  llmRequestInvalid: { status: 400, text: 'failed to process LLM request', reason: 'Internal' },
  llmRequestTooLarge: { status: 413, text: 'failed to process LLM request', reason: 'Internal' },
  llmEncodingUnsupported: { status: 415, text: 'failed to process LLM request', reason: 'Internal' },
  // GUARD-035: a guard that cannot decide, before the provider is asked and after it answered.
  promptGuardFailed: { status: 503, text: 'failed to process LLM request', reason: 'Guardrail' },
  replyGuardFailed: { status: 503, text: 'failed to process LLM response', reason: 'Guardrail' },
  // A provider's reply that is not one.
  llmResponseInvalid: {
    status: 502,
    text: 'failed to process LLM response',
    reason: 'UpstreamFailure',
    isToldInDetail: true,
  },
  // ProxyModel: what a client asks for by name and cannot have.
  modelNotFound: { status: 404, text: 'model not found', reason: 'NotFound', apiCode: 'model_not_found' },
  // MODEL-032
  modelAuthorizationDenied: {
    status: 403,
    text: 'not allowed to use the model',
    reason: 'Authorization',
    apiCode: 'model_authorization_denied',
  },
  modelRequestInvalid: {
    status: 400,
    text: 'invalid request body',
    reason: 'Internal',
    apiCode: 'invalid_request_body',
  },
  modelMissing: { status: 400, text: 'the request names no model', reason: 'Internal', apiCode: 'missing_model' },
  modelRequestTooLarge: {
    status: 413,
    text: 'request body too large',
    reason: 'Internal',
    apiCode: 'request_body_too_large',
  },
  // Virtual models whose targets lead nowhere.
  virtualModelNotResolved: {
    status: 404,
    text: 'virtual model cannot be resolved',
    reason: 'NotFound',
    apiCode: 'virtual_model_not_resolved',
  },
  virtualModelTargetNotFound: {
    status: 404,
    text: 'target of the virtual model not found',
    reason: 'NotFound',
    apiCode: 'virtual_model_target_not_found',
  },
  // MODEL-026
  virtualModelNoTarget: {
    status: 400,
    text: 'no target of the virtual model fits the request',
    reason: 'Internal',
    apiCode: 'virtual_model_no_matching_target',
  },
  listenerNotFound: { status: 404, text: 'listener not found', reason: 'NotFound' },
  routeNotFound: { status: 404, text: 'route not found', reason: 'NotFound' },
  // CONNECT-007: CONNECT while frontend.connect is unset.
  methodNotAllowed: { status: 405, text: 'method not allowed', reason: 'Internal' },
  // FRONT-044: docs/decisions/connection-limits.md
  requestBodyTimeout: { status: 408, text: 'request body timeout', reason: 'Timeout' },
  // EXTAUTH-025, EXTAUTH-026
  extAuthBodyTooLarge: { status: 413, text: 'external authorization failed', reason: 'ExtAuth' },
  // BUFFER-004
  bodyTooLarge: { status: 413, text: 'request body too large', reason: 'Internal' },
  misdirectedRequest: { status: 421, text: 'misdirected request', reason: 'NotFound' },
  // RATE-001
  rateLimitExceeded: { status: 429, text: 'rate limit exceeded', reason: 'RateLimit' },
  // FRONT-019, FRONT-041: more header fields than http1MaxHeaders allows.
  tooManyHeaders: { status: 431, text: 'too many header fields', reason: 'Internal' },
  // Nobody is left to read this one; it names the end of the request in logs and traces.
  clientGone: { status: 499, text: 'client went away', reason: 'Internal' },
  // OAUTH-034: the documents give no status. What proves the proxy to the backend cannot be had; nothing is sent.
  // The identity provider of an MCP backend cannot be asked, or says nothing of use.
  oauthFailed: { status: 500, text: 'the identity provider has no answer', reason: 'JwtAuth' },
  backendAuthenticationFailed: { status: 500, text: 'backend authentication failed', reason: 'BackendAuth' },
  noValidBackends: { status: 500, text: 'no valid backends', reason: 'NoHealthyBackend' },
  backendNotFound: { status: 500, text: 'backend does not exist', reason: 'NoHealthyBackend' },
  serviceNotFound: { status: 500, text: 'service not found', reason: 'NotFound' },
  invalidBackendType: { status: 500, text: 'invalid backend type', reason: 'NoHealthyBackend' },
  // RATE-020, RATE-022: the rate limit server is down, or says nothing that could be understood.
  rateLimitFailed: { status: 500, text: 'rate limit failed', reason: 'RateLimit' },
  filterFailed: { status: 500, text: 'failed to apply filters', reason: 'Internal' },
  // EXTPROC-020, EXTPROC-022: the processor is down, breaks off or answers nonsense.
  extProcFailed: { status: 500, text: 'ext_proc failed', reason: 'ExtProc' },
  // EXTPROC-007: a body too large to be shown in one piece; failureMode has no say in it.
  extProcBodyTooLarge: { status: 500, text: 'ext_proc failed', reason: 'ExtProc' },
  internal: { status: 500, text: 'internal error', reason: 'Internal' },
  // BUFFER-005
  responseTooLarge: { status: 502, text: 'response body too large', reason: 'UpstreamFailure' },
  noHealthyBackends: { status: 503, text: 'no healthy backends', reason: 'NoHealthyBackend' },
  upstreamCallFailed: { status: 503, text: 'upstream call failed', reason: 'UpstreamFailure', silent: true },
  processingFailed: { status: 503, text: 'processing failed', reason: 'Internal' },
  bodyReadFailed: { status: 503, text: 'parsing body', reason: 'Internal' },
  // BHTTP-008, BTCP-003: the backend did not accept the connection or did not answer in time.
  upstreamCallTimeout: { status: 504, text: 'upstream call timeout', reason: 'Timeout', silent: true },
  // TRAFFIC-006: timeouts.request ran out.
  requestTimeout: { status: 504, text: 'request timeout', reason: 'Timeout' },
  // RFC 9110, section 15.6.6: a request line of another protocol, or of another version of HTTP.
  versionNotSupported: { status: 505, text: 'HTTP version not supported', reason: 'Internal' },
} as const satisfies Readonly<Record<string, ProxyErrorEntry>>;

/** An infrastructure failure on the way of one request. Thrown; caught once, at the bottom of `handle-request.ts`. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ProxyErrorCode;
  readonly detail: string | undefined;

  constructor(code: ProxyErrorCode, detail?: string, options?: ErrorOptions) {
    const { text } = PROXY_ERRORS[code];
    super(detail === undefined ? text : `${text}: ${detail}`, options);
    this.code = code;
    this.detail = detail;
  }
}

/** Whether an attempt failed because nobody answered; what is no failure of the proxy is a defect and not silence. */
export function isSilence(error: unknown): boolean {
  if (!(error instanceof ProxyError)) return false;
  const { silent }: ProxyErrorEntry = PROXY_ERRORS[error.code];
  return silent === true;
}
