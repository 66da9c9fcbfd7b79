import type { Answer, Received } from '../exchange/exchange.ts';
import type { Services } from '../credentials/services.ts';
import type { PolicyField } from './compile-phase.ts';
import { failureAnswer } from './failure-answer.ts';
import type { Journey, Passage } from './journey.ts';
import { RESPONSE, type ResponseRow } from './phases.ts';
import { reportHalf } from './report-half.ts';

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
  if (!hasHalves(journey)) return answer;
  let current = answer;
  for (const [index, row] of rows.entries()) {
    if (halfOf(row, journey) === undefined) continue;
    const next = runGuarded(row, journey, current, services);
    // Most rows have nothing to wait for; one that has goes on with the rows after it.
    if (next instanceof Promise)
      return next.then((edited) => respond(journey, edited, services, rows.slice(index + 1)));
    current = next;
  }
  return current;
}

/** Most requests reach no policy that does anything to an answer. */
function hasHalves({ gateway, route, backend }: Journey): boolean {
  return [gateway, route, backend].some((passage) => (passage?.phase.responses.size ?? 0) > 0);
}

function runGuarded(row: ResponseRow, journey: Journey, answer: Answer, services: Services): Answer | Promise<Answer> {
  const answerFailure = (error: unknown): Answer => {
    answer.body?.cancel();
    return failureAnswer(error, services.log);
  };
  try {
    const half = runRow(row, journey, answer, services);
    const edited = journey.received.trace.active ? reportHalf(journey, row, answer, half) : half;
    return edited instanceof Promise ? edited.catch(answerFailure) : edited;
  } catch (error) {
    return answerFailure(error);
  }
}

function runRow(row: ResponseRow, journey: Journey, answer: Answer, services: Services): Answer | Promise<Answer> {
  return halfOf(row, journey)?.(answer, services) ?? answer;
}

/**
 * Undefined when the policy has none, or was not reached. It sees the request as it was sent, which later phases may have
 * changed once more.
 */
function halfOf({ phase, field }: ResponseRow, { gateway, route, backend }: Journey): Half | undefined {
  if (phase === 'gateway') return reachedHalf(gateway, field, backend?.exchange ?? route?.exchange);
  if (phase === 'route') return reachedHalf(route, field, backend?.exchange);
  return reachedHalf(backend, field, undefined);
}

type Half = (answer: Answer, services: Services) => Answer | Promise<Answer>;

function reachedHalf<Stage extends Received>(
  passage: Passage<Stage> | undefined,
  field: PolicyField,
  later: Stage | undefined,
): Half | undefined {
  const half = passage?.phase.responses.get(field);
  if (passage === undefined || half === undefined || half.index >= passage.reached) return undefined;
  const exchange = later ?? passage.exchange;
  return (answer, services) => half.run(exchange, answer, services);
}
