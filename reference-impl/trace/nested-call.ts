import type { Clock } from '../base/clock.ts';
import type { CallEnd, CallRecord, CallStart } from './call-record.ts';
import type { Recorder } from './recorder.ts';

/** Where the call goes, and what is asked there. */
export type Called = Pick<CallStart, 'target' | 'request'>;

/** For what a call is made that is not the request's own: whoever follows the request itself passes these events over. */
export type Scope = 'ext_authz' | 'ext_proc' | 'rate_limit' | 'mirror' | 'guardrail';

/** Who is told of calls: whoever watches the request, and what is noted of it in the end. */
export interface Told {
  readonly trace: Recorder;
  readonly clock: Clock;
  readonly record?: CallRecord;
}

/**
 * Makes a call beside the one to the backend, and reports its start and the head of its answer, or its failure, with
 * the scope. `statusOf` gives the HTTP status of the answer. Rejects as the call does.
 */
export async function reportedCall<Result>(
  { trace, clock, record }: Told,
  scope: Scope,
  called: Called,
  call: () => Promise<Result>,
  statusOf: (result: Result) => number,
): Promise<Result> {
  if (!trace.active && record === undefined) return call();
  const { target } = called;
  const more = { scope: [scope], startedAt: clock.monotonic() };
  const noteEnd = record?.noteCall({ kind: scope === 'mirror' ? 'Mirror' : 'Policy', subtype: scope, ...called });
  trace.emit({ type: 'backendCallStart', target }, { scope: [scope] });
  const report = (end: CallEnd): void => {
    noteEnd?.(end);
    trace.emit({ type: 'backendCallResult', ...end }, more);
  };
  try {
    const result = await call();
    report({ status: statusOf(result), error: null });
    return result;
  } catch (error) {
    report({ status: null, error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}
