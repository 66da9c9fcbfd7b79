import type { Answer, Handover, Received, ReplyHeader, Request } from './exchange.ts';
import type { Facts } from './facts.ts';

/**
 * What a policy decides about a request: go on as it is, go on with a changed request or something more known
 * about it, or answer now.
 * A refusal is an answer, never an exception.
 */
export type Outcome = Decision & {
  /** What the policy did, step by step, where the decision alone does not say it. Only traces show it. */
  readonly notes?: readonly Note[];
};

type Decision =
  | { readonly kind: 'continue' }
  | {
      readonly kind: 'change';
      readonly request?: Request;
      readonly facts?: Partial<Facts>;
      readonly handover?: Partial<Handover>;
    }
  | { readonly kind: 'answer'; readonly answer: Answer };

/** One step of a policy. Never holds a value of a request. */
export type Note =
  | { readonly part: 'condition'; readonly met: boolean; readonly text: string }
  /** A half of a policy that has two, or the whole policy; the last one made the decision, those before let pass. */
  | { readonly part: 'local' | 'global' | 'whole' };

export const CONTINUE: Outcome = { kind: 'continue' };

/** The exchange with the outcome's changes; an answer changes nothing. */
export function changedBy<Stage extends Received>(exchange: Stage, outcome: Outcome): Stage {
  if (outcome.kind !== 'change') return exchange;
  const { request = exchange.request, facts, handover } = outcome;
  return {
    ...exchange,
    request,
    facts: facts === undefined ? exchange.facts : { ...exchange.facts, ...facts },
    handover: handover === undefined ? exchange.handover : { ...exchange.handover, ...handover },
  };
}

/** The same outcome, which also hands something over; `request` is how the step left it. An answer hands nothing over. */
export function handingOver(outcome: Outcome, request: Request, handover: Partial<Handover>): Outcome {
  if (outcome.kind === 'answer') return outcome;
  if (outcome.kind === 'continue') return { ...outcome, kind: 'change', request, handover };
  return { ...outcome, request: outcome.request ?? request, handover: { ...outcome.handover, ...handover } };
}

/** Adds fields to those that the answer shall have. */
export function addReplyHeaders({ replyHeaders = [] }: Handover, added: readonly ReplyHeader[]): Partial<Handover> {
  return { replyHeaders: [...replyHeaders, ...added] };
}
