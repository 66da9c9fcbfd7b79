import type { Answer, Received } from '../exchange/exchange.ts';
import { changedBy, type Outcome } from '../exchange/outcome.ts';
import type { Services } from '../credentials/services.ts';
import type { PolicyField } from './compile-phase.ts';
import type { Passage } from './journey.ts';
import { withReport, type Run } from './report-step.ts';

/**
 * Runs the steps of a phase in their order. Each sees what the ones before it made of the request; the first that
 * answers ends the phase. Returns that answer, or undefined when the request goes on.
 */
export function runPhase<Stage extends Received>(
  passage: Passage<Stage>,
  services: Services,
): Answer | undefined | Promise<Answer | undefined> {
  const { steps } = passage.phase;
  // Asked once: most requests are not traced, and none becomes traced on the way.
  const reports = passage.exchange.trace.active;
  while (passage.reached < steps.length) {
    const step = steps[passage.reached];
    passage.reached += 1;
    if (step?.request === undefined) continue;
    const run: Run<Stage> = reports ? withReport(step.field, step.request) : step.request;
    const outcome = run(passage.exchange, services);
    // Most policies decide at once; only those that must wait cost a turn of the event loop.
    if (outcome instanceof Promise)
      return outcome.then((decided) => take(passage, decided, step.field) ?? runPhase(passage, services));
    const answer = take(passage, outcome, step.field);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** Gives the outcome of a step its effect; an answer is returned. */
function take<Stage extends Received>(
  passage: Passage<Stage>,
  outcome: Outcome,
  field: PolicyField,
): Answer | undefined {
  if (outcome.kind === 'answer') {
    passage.exchange.record?.noteAnswer(field);
    return outcome.answer;
  }
  passage.exchange = changedBy(passage.exchange, outcome);
  return undefined;
}
