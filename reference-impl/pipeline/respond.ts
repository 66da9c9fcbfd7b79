import type { Answer, Received } from '../exchange/exchange.ts';
import type { Journey, Passage } from './journey.ts';
import { RESPONSE } from './phases.ts';

/** Runs the response half of every policy that was reached, in the order of the response list. */
export async function respond(journey: Journey, answer: Answer): Promise<Answer> {
  let current = answer;
  for (const { phase, field } of RESPONSE) {
    const half = responseHalf(journey, phase, field);
    if (half === undefined) continue;
    const pending = half(current);
    current = pending instanceof Promise ? await pending : pending;
  }
  return current;
}

type Half = (answer: Answer) => Answer | Promise<Answer>;

function responseHalf(journey: Journey, phase: 'gateway' | 'route' | 'backend', field: string): Half | undefined {
  const { gateway, route, backend } = journey;
  if (phase === 'gateway') return reachedHalf(gateway, field, backend?.exchange ?? route?.exchange);
  if (phase === 'route') return reachedHalf(route, field, backend?.exchange);
  return reachedHalf(backend, field, undefined);
}

/** A step sees the request as it was sent, which later phases may have changed once more. */
function reachedHalf<Stage extends Received>(
  passage: Passage<Stage> | undefined,
  field: string,
  later: Stage | undefined,
): Half | undefined {
  if (passage === undefined) return undefined;
  const index = passage.phase.steps.findIndex((step) => step.field === field);
  const response = passage.phase.steps[index]?.response;
  if (response === undefined || index >= passage.reached) return undefined;
  return (answer) => response(later ?? passage.exchange, answer);
}
