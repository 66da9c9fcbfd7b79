import type { Sources } from '../attachment/policies/effective-policy.ts';

/** One record of the trace stream (TRACE-014, TRACE-017, TRACE-019, TRACE-021). Offsets in microseconds since the trace began. */
export interface TraceEvent {
  readonly eventStart: number | null;
  readonly eventEnd: number;
  readonly severity: Severity;
  /** For what a call was made that is not the request's own, outermost first; absent on the events of the request itself. */
  readonly scope?: readonly string[];
  readonly message: TraceMessage;
}

export type Severity = 'success' | 'info' | 'warn' | 'error';

/** The closed union of what the proxy reports. docs/decisions/trace-payloads.md */
export type TraceMessage =
  | { readonly type: 'requestStarted' }
  | { readonly type: 'requestSnapshot'; readonly stage: RequestStage; readonly requestState: RequestState }
  | {
      readonly type: 'policySelection';
      readonly phase: 'gateway' | 'route' | 'backend';
      readonly effectivePolicy: object;
      /** Who said what, by field of the policy. docs/decisions/trace-payloads.md */
      readonly sources: Sources;
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
  | { readonly type: 'policy'; readonly kind: string; readonly result: PolicyResult }
  | { readonly type: 'backendCallStart'; readonly target: string }
  | { readonly type: 'backendCallResult'; readonly status: number | null; readonly error: string | null }
  | { readonly type: 'responseSnapshot'; readonly stage: ResponseStage; readonly requestState: RequestState }
  | { readonly type: 'bodySnapshot'; readonly stage: 'final request' | 'response'; readonly body: string }
  | { readonly type: 'requestFinished' };

/** The stages that every request passes, which the documents name; and those of single policies (`policy-names.ts`). */
export type RequestStage =
  | 'initial request'
  | 'gateway policies'
  | 'route policies'
  | 'final request'
  | (string & NonNullable<unknown>);
export type ResponseStage =
  | 'raw response'
  | 'backend response ready'
  | 'final response'
  | (string & NonNullable<unknown>);

/** What a policy did with one request, in words. `snapshot` is null: the snapshot of the policy's stage shows it. */
export type PolicyResult =
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'apply'; readonly details: string; readonly snapshot: null };

/** The variables that exist at a stage, as expressions see them. */
export type RequestState = Readonly<Record<string, unknown>>;

export interface AuthorizationRuleResult {
  /** The expressions of the rule. */
  readonly name: string;
  readonly matched: boolean;
  readonly mode: 'allow' | 'deny' | 'require';
}
