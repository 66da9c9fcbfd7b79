import { parseDuration } from '../../base/duration.ts';
import { pause } from '../../base/pause.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { compileOrFail } from '../../cel/compile.ts';
import type { Evaluation, Program } from '../../cel/program.ts';
import { asMilliseconds } from '../../cel/results.ts';
import type { Received, Routed } from '../../exchange/exchange.ts';
import type { Outcome } from '../../exchange/outcome.ts';
import { requestLimit } from '../../exchange/request-limit.ts';
import type { Delay } from '../../resources/proxy-policy/fields/delay.ts';
import { goOn, prepareRequest, readsBody, whenReady } from '../expression-input.ts';
import type { Policy } from '../policy.ts';

/** Milliseconds known beforehand, or the expression that gives them. */
export type CompiledDelay =
  | { readonly milliseconds: number }
  | { readonly program: Program; readonly readsBody: boolean };

/** Postpones requests (DELAY-001). What it takes counts against the request timeout (DELAY-006). */
export const delay: Policy<Delay, CompiledDelay, Routed> = {
  compile: ({ duration }) => {
    const milliseconds = parseDuration(duration);
    if (milliseconds !== undefined) return { milliseconds };
    const program = compileOrFail(duration);
    return { program, readsBody: readsBody([program], 'request') };
  },

  request: (exchange, compiled) => {
    if ('milliseconds' in compiled) return postpone(exchange, exchange, compiled.milliseconds);
    return whenReady(prepareRequest(exchange, compiled.readsBody), ({ exchange: now, variables }) =>
      postpone(exchange, now, delayOf(compiled.program.evaluate(variables))),
    );
  },
};

/** DELAY-002, DELAY-003: a duration, its text, or a number of milliseconds. Anything else, a failure too, is no delay. */
function delayOf(evaluation: Evaluation): number {
  if (evaluation.ok && typeof evaluation.value === 'string') return parseDuration(evaluation.value) ?? 0;
  return asMilliseconds(evaluation) ?? 0;
}

/** Longest time a timer can be set to. */
const MAX_DELAY = 2 ** 31 - 1;

function postpone(before: Received, exchange: Routed, wanted: number): Outcome | Promise<Outcome> {
  // DELAY-004, DELAY-005
  if (!(wanted > 0)) return goOn(before, exchange);
  return wait(exchange, Math.min(wanted, MAX_DELAY));
}

async function wait(exchange: Routed, milliseconds: number): Promise<Outcome> {
  const { clock, cancellation } = exchange;
  const { timeouts } = exchange.rule.postRouting;
  const limit = timeouts === undefined ? 0 : requestLimit(timeouts);
  // DELAY-006: a delay that takes all the time there is leaves none to send in.
  if (limit > 0 && milliseconds >= limit) {
    await pause(limit, clock, cancellation);
    throw new ProxyError('requestTimeout', `delayed for longer than ${limit} ms`);
  }
  await pause(milliseconds, clock, cancellation);
  return { kind: 'change', request: exchange.request, handover: { delay: milliseconds } };
}
