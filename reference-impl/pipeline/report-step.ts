import type { Answer, Received } from '../exchange/exchange.ts';
import { changedBy, type Note, type Outcome } from '../exchange/outcome.ts';
import type { PolicyResult } from '../trace/events.ts';
import { POLICY_NAMES, type PolicyNames, type PolicyPhase } from '../trace/policy-names.ts';
import type { More } from '../trace/recorder.ts';
import type { CompiledStep, PolicyField } from './compile-phase.ts';
import { outcomeDetails } from './outcome-details.ts';
import { requestSnapshot } from './snapshots.ts';

/** The request half of a step. */
export type Run<Stage extends Received> = NonNullable<CompiledStep<Stage>['request']>;

/** The same half, which also tells the trace of the request what it did. docs/decisions/trace-of-policies.md */
export function withReport<Stage extends Received>(field: PolicyField, run: Run<Stage>): Run<Stage> {
  return async (exchange, services) => {
    const startedAt = exchange.clock.monotonic();
    try {
      const running = run(exchange, services);
      // TRACE-096: only what had to be waited for has a duration.
      const times = running instanceof Promise ? { startedAt } : {};
      const outcome = await running;
      report(field, exchange, outcome, times);
      return outcome;
    } catch (error) {
      const details = `failed: ${error instanceof Error ? error.message : String(error)}`;
      tell(exchange, POLICY_NAMES[field]?.kind, applyResult(details), { startedAt, severity: 'error' });
      throw error;
    }
  };
}

const WHOLE: Note = { part: 'whole' };

function report(field: PolicyField, before: Received, outcome: Outcome, times: More): void {
  const notes = outcome.notes ?? [WHOLE];
  for (const [index, note] of notes.entries()) {
    if (note.part === 'condition') reportCondition(field, before, note);
    else if (index < notes.length - 1) reportPassed(field, before, note);
    else reportDecision(namesOf(field, note), before, outcome, times);
  }
}

/** Of a conditional policy: the field is the name of the event, so that it is not taken for one of the policy inside. */
function reportCondition(
  field: PolicyField,
  before: Received,
  { met, text }: Extract<Note, { part: 'condition' }>,
): void {
  tell(before, field, met ? applyResult(text) : { type: 'skip', reason: text }, {});
}

/** Of a half that let the request pass to the other one. */
function reportPassed(field: PolicyField, before: Received, note: Note): void {
  const names = namesOf(field, note);
  tell(before, names.kind, applyResult('let the request pass'), {});
  snapshotAfter(names, before);
}

function reportDecision({ kind, fact, ...names }: PolicyNames, before: Received, outcome: Outcome, times: More): void {
  if (outcome.kind === 'answer') {
    const severity = isFailure(outcome.answer) ? 'error' : 'info';
    tell(before, kind, applyResult(outcomeDetails(before, outcome)), { ...times, severity });
    return;
  }
  const after = changedBy(before, outcome);
  const unasked = fact !== undefined && after.facts[fact] === before.facts[fact];
  const result = unasked ? UNASKED : applyResult(outcomeDetails(before, outcome));
  tell(before, kind, result, times);
  if (!unasked) snapshotAfter(names, after);
}

const UNASKED: PolicyResult = { type: 'skip', reason: 'no valid credential, and the mode asks for none' };

/** This is where an unexpected status comes from. */
function isFailure({ status }: Answer): boolean {
  return status >= 400;
}

function applyResult(details: string): PolicyResult {
  return { type: 'apply', details, snapshot: null };
}

function tell({ trace }: Received, kind: string | undefined, result: PolicyResult, more: More): void {
  if (kind !== undefined) trace.emit({ type: 'policy', kind, result }, more);
}

function snapshotAfter({ stages }: PolicyNames, after: Received): void {
  const stage = stages?.[phaseOf(after)];
  if (stage !== undefined) requestSnapshot(after, stage);
}

function namesOf(field: PolicyField, { part }: Note): PolicyNames {
  return POLICY_NAMES[part === 'whole' ? field : `${field}.${part}`] ?? {};
}

/** The stage of an exchange tells the phase that works on it. */
function phaseOf(exchange: Received): PolicyPhase {
  if ('backend' in exchange) return 'backend';
  return 'rule' in exchange ? 'route' : 'gateway';
}
