import { parseDuration } from '../../base/duration.ts';
import { compileOrFail } from '../../cel/compile.ts';
import type { Program } from '../../cel/program.ts';
import { isTrue } from '../../cel/results.ts';
import type { RetryTerms, Routed } from '../../exchange/exchange.ts';
import type { Outcome } from '../../exchange/outcome.ts';
import type { Retry } from '../../resources/proxy-policy/fields/retry.ts';
import { goOn, prepareAnswer, prepareRequest, readsBody, whenReady } from '../expression-input.ts';
import type { Policy } from '../policy.ts';

export interface CompiledRetry {
  readonly precondition: Program | undefined;
  readonly readsBody: boolean;
  readonly terms: RetryTerms;
}

/**
 * Notes whether the request may be sent again, and on which terms; `pipeline/attempts.ts` keeps to them.
 * docs/decisions/retry.md
 */
export const retry: Policy<Retry, CompiledRetry, Routed> = {
  compile: (field) => {
    const precondition = field.precondition === undefined ? undefined : compileOrFail(field.precondition);
    const programs = precondition === undefined ? [] : [precondition];
    return { precondition, readsBody: readsBody(programs, 'request'), terms: compileTerms(field) };
  },

  request: (exchange, { precondition, readsBody: reads, terms }) => {
    if (precondition === undefined) return noteTerms(exchange, terms);
    return whenReady(prepareRequest(exchange, reads), ({ exchange: now, variables }) =>
      // RETRY-001, RETRY-002: without the note nothing is kept for another attempt. A failure is not true either.
      isTrue(precondition.evaluate(variables)) ? noteTerms(now, terms) : goOn(exchange, now),
    );
  },
};

/** RETRY-008 */
function noteTerms({ request }: Routed, terms: RetryTerms): Outcome {
  return { kind: 'change', request, handover: { retry: terms } };
}

/** When `attempts` is not set. */
const USUAL_RETRIES = 1;
/** A larger number counts as this one. */
const MOST_RETRIES = 255;

function compileTerms({ codes = [], attempts, backoff, condition }: Retry): RetryTerms {
  const statuses = new Set(codes);
  const program = condition === undefined ? undefined : compileOrFail(condition);
  const reads = program !== undefined && readsBody([program], 'response');
  return {
    retries: Math.min(attempts ?? USUAL_RETRIES, MOST_RETRIES),
    backoff: backoff === undefined ? 0 : (parseDuration(backoff) ?? 0),
    judge: (exchange, answer) => {
      // RETRY-003: a listed status is enough. RETRY-004: so is the condition. RETRY-005: nothing else is.
      if (statuses.has(answer.status) || program === undefined) return { again: statuses.has(answer.status), answer };
      return whenReady(prepareAnswer(exchange, answer, reads), (prepared) => ({
        again: isTrue(program.evaluate(prepared.variables)),
        answer: prepared.answer,
      }));
    },
  };
}
