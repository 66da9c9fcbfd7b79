/** One record of the trace stream (TRACE-014, TRACE-017, TRACE-019, TRACE-021). Offsets in microseconds since the trace began. */
export interface TraceEvent {
  readonly eventStart: number | null;
  readonly eventEnd: number;
  readonly severity: Severity;
  readonly message: TraceMessage;
}

export type Severity = 'success' | 'info' | 'warn' | 'error';

/** The closed union of what the proxy reports. */
export type TraceMessage =
  | { readonly type: 'requestStarted' }
  | { readonly type: 'requestSnapshot'; readonly stage: RequestStage; readonly requestState: RequestState }
  | {
      readonly type: 'policySelection';
      readonly phase: 'gateway' | 'route' | 'backend';
      readonly effectivePolicy: object;
    }
  | {
      readonly type: 'routeSelection';
      readonly selectedRoute: string | null;
      readonly evaluatedRoutes: readonly string[];
    }
  | {
      readonly type: 'authorizationResult';
      readonly rules: readonly AuthorizationRuleResult[];
      readonly result: 'allow' | 'deny';
    }
  | { readonly type: 'backendCallStart'; readonly target: string }
  | { readonly type: 'backendCallResult'; readonly status: number | null; readonly error: string | null }
  | { readonly type: 'responseSnapshot'; readonly stage: ResponseStage; readonly requestState: RequestState }
  | { readonly type: 'bodySnapshot'; readonly stage: 'final request' | 'response'; readonly body: string }
  | { readonly type: 'requestFinished' };

export type RequestStage = 'initial request' | 'gateway policies' | 'route policies' | 'final request';
export type ResponseStage = 'raw response' | 'backend response ready' | 'final response';

/** The variables that exist at a stage, as expressions see them. */
export type RequestState = Readonly<Record<string, unknown>>;

export interface AuthorizationRuleResult {
  /** The expressions of the rule. */
  readonly name: string;
  readonly matched: boolean;
  readonly mode: 'allow' | 'deny' | 'require';
}
