import type { Answer, Received } from '../exchange/exchange.ts';
import type { Services } from '../credentials/services.ts';
import type { PolicyField } from './compile-phase.ts';
import { failureAnswer } from './failure-answer.ts';
import type { Journey, Passage } from './journey.ts';
import { RESPONSE, type ResponseRow } from './phases.ts';
import { reportedHalf } from './report-half.ts';

/**
 * Runs the response half of every policy that was reached, in the order of the response list. A half that fails
 * replaces the answer by that of its failure, which the halves after it see.
 */
export function respond(
  journey: Journey,
  answer: Answer,
  services: Services,
  rows = RESPONSE,
): Answer | Promise<Answer> {
  let current = answer;
  for (const [index, row] of rows.entries()) {
    const next = guarded(row, journey, current, services);
    // Most rows have nothing to wait for; one that has goes on with the rows after it.
    if (next instanceof Promise)
      return next.then((edited) => respond(journey, edited, services, rows.slice(index + 1)));
    current = next;
  }
  return current;
}

function guarded(row: ResponseRow, journey: Journey, answer: Answer, services: Services): Answer | Promise<Answer> {
  const failed = (error: unknown): Answer => {
    answer.body?.cancel();
    return failureAnswer(error, services.log);
  };
  try {
    const half = runRow(row, journey, answer, services);
    const edited = journey.received.trace.active ? reportedHalf(journey, row, answer, half) : half;
    return edited instanceof Promise ? edited.catch(failed) : edited;
  } catch (error) {
    return failed(error);
  }
}

/** A step sees the request as it was sent, which later phases may have changed once more. */
function runRow(
  { phase, field }: ResponseRow,
  journey: Journey,
  answer: Answer,
  services: Services,
): Answer | Promise<Answer> {
  const { gateway, route, backend } = journey;
  if (phase === 'gateway') return runHalf(gateway, field, backend?.exchange ?? route?.exchange, answer, services);
  if (phase === 'route') return runHalf(route, field, backend?.exchange, answer, services);
  return runHalf(backend, field, undefined, answer, services);
}

function runHalf<Stage extends Received>(
  passage: Passage<Stage> | undefined,
  field: PolicyField,
  later: Stage | undefined,
  answer: Answer,
  services: Services,
): Answer | Promise<Answer> {
  const half = passage?.phase.responses.get(field);
  if (passage === undefined || half === undefined || half.index >= passage.reached) return answer;
  return half.run(later ?? passage.exchange, answer, services);
}
