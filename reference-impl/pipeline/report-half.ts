import type { Answer } from '../exchange/exchange.ts';
import { POLICY_NAMES, REPLY_HEADERS_STAGE } from '../trace/policy-names.ts';
import { latest, type Journey } from './journey.ts';
import type { ResponseRow } from './phases.ts';
import { responseSnapshot } from './snapshots.ts';

/** Tells the trace what the response half of a policy made of an answer. A half that left it alone has nothing to show. */
export function reportHalf(
  journey: Journey,
  { phase, field }: ResponseRow,
  before: Answer,
  after: Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const stage = POLICY_NAMES[field]?.responseStages?.[phase];
  if (stage === undefined) return after;
  return after instanceof Promise
    ? after.then((edited) => showAnswer(journey, stage, before, edited))
    : showAnswer(journey, stage, before, after);
}

/** The same for the fields that are put on the answer last. */
export function reportReplyHeaders(journey: Journey, before: Answer, after: Answer): Answer {
  return journey.received.trace.active ? showAnswer(journey, REPLY_HEADERS_STAGE, before, after) : after;
}

function showAnswer(journey: Journey, stage: string, before: Answer, after: Answer): Answer {
  if (after !== before) responseSnapshot(latest(journey), after, stage);
  return after;
}
