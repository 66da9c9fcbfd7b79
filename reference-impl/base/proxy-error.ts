/** What the proxy itself can fail with. */
export type ProxyErrorCode = keyof typeof PROXY_ERRORS;

export interface ProxyErrorEntry {
  readonly status: number;
  /** The text of the answer; a detail follows after `: `. */
  readonly text: string;
  /** The class named in logs. */
  readonly reason: string;
}

/** One row per way to fail. The rows are the whole list: nothing else makes the proxy answer on its own. */
export const PROXY_ERRORS = {
  invalidRequest: { status: 400, text: 'invalid request', reason: 'Internal' },
  // AUTHZ-013: a request the rules do not let through.
  authorizationFailed: { status: 403, text: 'authorization failed', reason: 'Authorization' },
  listenerNotFound: { status: 404, text: 'listener not found', reason: 'NotFound' },
  routeNotFound: { status: 404, text: 'route not found', reason: 'NotFound' },
  // CONNECT-007: CONNECT while frontend.connect is unset.
  methodNotAllowed: { status: 405, text: 'method not allowed', reason: 'Internal' },
  bodyTooLarge: { status: 413, text: 'request body too large', reason: 'Internal' },
  misdirectedRequest: { status: 421, text: 'misdirected request', reason: 'NotFound' },
  // FRONT-019, FRONT-041: more header fields than http1MaxHeaders allows.
  tooManyHeaders: { status: 431, text: 'too many header fields', reason: 'Internal' },
  // Nobody is left to read this one; it names the end of the request in logs and traces.
  clientGone: { status: 499, text: 'client went away', reason: 'Internal' },
  noValidBackends: { status: 500, text: 'no valid backends', reason: 'NoHealthyBackend' },
  backendNotFound: { status: 500, text: 'backend does not exist', reason: 'NoHealthyBackend' },
  serviceNotFound: { status: 500, text: 'service not found', reason: 'NotFound' },
  invalidBackendType: { status: 500, text: 'invalid backend type', reason: 'NoHealthyBackend' },
  filterFailed: { status: 500, text: 'failed to apply filters', reason: 'Internal' },
  internal: { status: 500, text: 'internal error', reason: 'Internal' },
  noHealthyBackends: { status: 503, text: 'no healthy backends', reason: 'NoHealthyBackend' },
  upstreamCallFailed: { status: 503, text: 'upstream call failed', reason: 'UpstreamFailure' },
  processingFailed: { status: 503, text: 'processing failed', reason: 'Internal' },
  bodyReadFailed: { status: 503, text: 'parsing body', reason: 'Internal' },
  // BHTTP-008, BTCP-003: the backend did not accept the connection or did not answer in time.
  upstreamCallTimeout: { status: 504, text: 'upstream call timeout', reason: 'Timeout' },
  // TRAFFIC-006: timeouts.request ran out.
  requestTimeout: { status: 504, text: 'request timeout', reason: 'Timeout' },
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
