import { whenOver } from '../../../base/when-over.ts';
import type { Answer, Received, TokenUsage } from '../../../exchange/exchange.ts';
import { CONTINUE, type Note, type Outcome } from '../../../exchange/outcome.ts';
import type { RateLimits } from '../../../resources/proxy-policy/fields/rate-limit.ts';
import { conditional } from '../../conditional.ts';
import type { Policy } from '../../policy.ts';
import { compileGlobal, decideGlobal, reportTokens, type CompiledGlobal } from './global.ts';
import { bookTokens, compileLocal, decideLocal, type CompiledLocal } from './local.ts';

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
    const outcome = local.length === 0 ? CONTINUE : decideLocal(exchange, local, services);
    if (outcome.kind === 'answer') return { ...outcome, notes: LOCAL };
    if (global === undefined) return WITHIN_LOCAL;
    const notes = local.length === 0 ? GLOBAL : BOTH;
    return decideGlobal(exchange, global, services).then((decided) => ({ ...decided, notes }));
  },

  response: (exchange, { local, global }, answer, services) =>
    whenTokensAreKnown(exchange, answer, (tokens, { streaming }) => {
      if (tokens !== undefined) bookTokens(local, tokens, exchange, services);
      if (global !== undefined) reportTokens({ exchange, answer, streaming, tokens }, global, services);
    }),
};

/**
 * RATE-010, RATE-018: the tokens of a request are known when all of its reply was read, which for a stream is when the
 * client has it; undefined when the model said nothing of them. `use` is not called for requests that never reached a model.
 */
function whenTokensAreKnown(
  { handover: { usage } }: Received,
  answer: Answer,
  use: (tokens: number | undefined, usage: TokenUsage) => void,
): Answer {
  if (usage === undefined) return answer;
  let used = false;
  const once = (): void => {
    if (used) return;
    used = true;
    use(usage.totalTokens(), usage);
  };
  if (!usage.complete()) return { ...answer, body: whenOver(answer.body, once) };
  once();
  return answer;
}

const LOCAL: readonly Note[] = [{ part: 'local' }];
const WITHIN_LOCAL: Outcome = { ...CONTINUE, notes: LOCAL };
const GLOBAL: readonly Note[] = [{ part: 'global' }];
const BOTH: readonly Note[] = [...LOCAL, ...GLOBAL];

/** Limits of this instance, then those of a rate limit server (RATE-023), plain or conditional (COND-009). */
export const rateLimit = conditional(plain);
