import type { Clock } from '../base/clock.ts';
import type { Recorder } from './recorder.ts';

/** For what a call is made that is not the request's own: whoever follows the request itself passes these events over. */
export type Scope = 'ext_authz' | 'ext_proc' | 'rate_limit' | 'mirror' | 'guardrail';

/**
 * Makes a call beside the one to the backend, and reports its start and the head of its answer, or its failure, with
 * the scope. `statusOf` gives the HTTP status of the answer. Rejects as the call does.
 */
export async function reportedCall<Result>(
  { trace, clock }: { readonly trace: Recorder; readonly clock: Clock },
  scope: Scope,
  target: string,
  call: () => Promise<Result>,
  statusOf: (result: Result) => number,
): Promise<Result> {
  if (!trace.active) return call();
  const more = { scope: [scope], startedAt: clock.monotonic() };
  trace.emit({ type: 'backendCallStart', target }, { scope: [scope] });
  try {
    const result = await call();
    trace.emit({ type: 'backendCallResult', status: statusOf(result), error: null }, more);
    return result;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    trace.emit({ type: 'backendCallResult', status: null, error: text }, more);
    throw error;
  }
}
