import { CONTINUE } from '../../../exchange/outcome.ts';
import type { RateLimits } from '../../../resources/proxy-policy/fields/rate-limit.ts';
import { conditional } from '../../conditional.ts';
import type { Policy } from '../../policy.ts';
import { compileLocal, decideLocal, type CompiledLocal } from './local.ts';

export interface CompiledRateLimits {
  readonly local: CompiledLocal;
}

const plain: Policy<RateLimits, CompiledRateLimits> = {
  compile: ({ local = [] }) => ({ local: compileLocal(local) }),

  request: (exchange, { local }) => (local.length === 0 ? CONTINUE : decideLocal(exchange, local)),
};

/** Limits of this instance, then those of a rate limit server (RATE-023), plain or conditional (COND-009). */
export const rateLimit = conditional(plain);
