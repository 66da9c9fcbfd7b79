import { CONTINUE } from '../../../exchange/outcome.ts';
import type { RateLimits } from '../../../resources/proxy-policy/fields/rate-limit.ts';
import { conditional } from '../../conditional.ts';
import type { Policy } from '../../policy.ts';
import { compileGlobal, decideGlobal, type CompiledGlobal } from './global.ts';
import { compileLocal, decideLocal, type CompiledLocal } from './local.ts';

export interface CompiledRateLimits {
  readonly local: CompiledLocal;
  readonly global: CompiledGlobal | undefined;
}

const plain: Policy<RateLimits, CompiledRateLimits> = {
  compile: ({ local = [], global }, origin) => ({
    local: compileLocal(local),
    global: global && compileGlobal(global, origin),
  }),

  request: (exchange, { local, global }, services) => {
    const outcome = local.length === 0 ? CONTINUE : decideLocal(exchange, local);
    if (outcome.kind === 'answer' || global === undefined) return outcome;
    return decideGlobal(exchange, global, services);
  },
};

/** Limits of this instance, then those of a rate limit server (RATE-023), plain or conditional (COND-009). */
export const rateLimit = conditional(plain);
