import { parseDuration } from '../../base/duration.ts';
import { perObject } from '../../base/per-object.ts';
import { compileOrFail } from '../../cel/compile.ts';
import type { Program } from '../../cel/program.ts';
import { isTrue } from '../../cel/results.ts';
import type { Answer, Received } from '../../exchange/exchange.ts';
import type { BackendEviction, Health } from '../../resources/proxy-policy/fields/health.ts';
import type { EvictionTerms } from '../../upstream/health/endpoint-health.ts';
import { prepareAnswer, readsBody, whenReady } from '../expression-input.ts';

/**
 * Which answers count against an endpoint, and when it is evicted. `pipeline/balancing.ts` keeps the count.
 * docs/decisions/health.md
 */
export interface CompiledHealth {
  readonly unhealthy: Program | undefined;
  readonly readsBody: boolean;
  readonly eviction: EvictionTerms | undefined;
}

export interface HealthJudgement {
  readonly unhealthy: boolean;
  /** The same answer, its body readable from the first byte even when the judgement read it. */
  readonly answer: Answer;
}

/** Compiled once per field value; undefined without the field. */
export function compiledHealth(field: Health | undefined): CompiledHealth | undefined {
  return field && compile(field);
}

/** HEALTH-001; HEALTH-005: an answer for which the condition is not true is healthy, whatever its status. HEALTH-002 without one. */
export function judgeAnswer(
  health: CompiledHealth | undefined,
  exchange: Received,
  answer: Answer,
): HealthJudgement | Promise<HealthJudgement> {
  const { unhealthy, readsBody: reads = false } = health ?? {};
  if (unhealthy === undefined) return { unhealthy: answer.status >= 500, answer };
  return whenReady(prepareAnswer(exchange, answer, reads), (prepared) => ({
    unhealthy: isTrue(unhealthy.evaluate(prepared.variables)),
    answer: prepared.answer,
  }));
}

const compile = perObject(({ unhealthyCondition, eviction }: Health): CompiledHealth => {
  const unhealthy = unhealthyCondition === undefined ? undefined : compileOrFail(unhealthyCondition);
  return {
    unhealthy,
    readsBody: unhealthy !== undefined && readsBody([unhealthy], 'response'),
    eviction: eviction && termsOf(eviction),
  };
});

/** HEALTH-008 */
const USUAL_DURATION = 3000;

function termsOf({ duration, restoreHealth, consecutiveFailures, healthThreshold }: BackendEviction): EvictionTerms {
  return {
    duration: (duration === undefined ? undefined : parseDuration(duration)) ?? USUAL_DURATION,
    restore: share(restoreHealth),
    // No failure at all is no limit.
    consecutiveFailures: consecutiveFailures === 0 ? undefined : consecutiveFailures,
    healthThreshold: share(healthThreshold),
  };
}

function share(percent: number | undefined): number | undefined {
  return percent === undefined ? undefined : percent / 100;
}
