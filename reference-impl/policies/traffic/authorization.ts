import { compileOrFail } from '../../cel/compile.ts';
import type { Program, VariableSource } from '../../cel/program.ts';
import { isTrue } from '../../cel/results.ts';
import type { Outcome } from '../../exchange/outcome.ts';
import type { Received } from '../../exchange/exchange.ts';
import { refusal } from '../../exchange/refusal.ts';
import type { Authorization } from '../../resources/proxy-policy/fields/authorization.ts';
import type { AuthorizationRuleResult } from '../../trace/events.ts';
import { goOn, prepareRequest, readsBody, whenReady, type Prepared } from '../expression-input.ts';
import type { Policy } from '../policy.ts';

export interface CompiledAuthorization {
  readonly rules: readonly Rule[];
  readonly readsBody: boolean;
}

export interface Rule {
  /** The expressions, as the trace names the rule. */
  readonly name: string;
  readonly mode: AuthorizationRuleResult['mode'];
  readonly expressions: readonly Program[];
}

/**
 * Lets a request pass or answers 403 (AUTHZ-013, AUTHZ-014), by the rules of every level together.
 * docs/decisions/authorization-rules.md
 */
export const authorization: Policy<readonly Authorization[], CompiledAuthorization> = {
  compile: (fields) => {
    const rules = compileRules(fields);
    const programs = rules.flatMap(({ expressions }) => expressions);
    return { rules, readsBody: readsBody(programs, 'request') };
  },

  request: (exchange, policy) =>
    whenReady(prepareRequest(exchange, policy.readsBody), (prepared) => decide(exchange, prepared, policy.rules)),
};

/** Rules ready for requests; one that cannot be compiled never matches. */
export function compileRules(fields: readonly Authorization[]): readonly Rule[] {
  return fields.map(compileRule);
}

/** Whether rules let a request pass that these variables describe. */
export function allows(rules: readonly Rule[], variables: VariableSource): boolean {
  return verdict(rules.map((rule) => judge(rule, variables))) === 'allow';
}

/** The verdict on results of rules; order of the rules does not matter. Deny goes first (AUTHZ-015). */
export function verdict(results: readonly Pick<AuthorizationRuleResult, 'matched' | 'mode'>[]): 'allow' | 'deny' {
  const some = (mode: AuthorizationRuleResult['mode'], matched: boolean): boolean =>
    results.some((result) => result.mode === mode && result.matched === matched);
  // AUTHZ-008, AUTHZ-009, AUTHZ-010
  if (some('deny', true)) return 'deny';
  // AUTHZ-006, AUTHZ-007, AUTHZ-012
  if (some('require', false)) return 'deny';
  // AUTHZ-003, AUTHZ-004, AUTHZ-005, AUTHZ-011
  return some('allow', true) || !some('allow', false) ? 'allow' : 'deny';
}

// AUTHZ-002: Allow is the default action.
const MODES = { Allow: 'allow', Deny: 'deny', Require: 'require' } as const;

function compileRule({ action = 'Allow', policy: { matchExpressions } }: Authorization): Rule {
  return {
    name: matchExpressions.join(' && '),
    mode: MODES[action],
    expressions: matchExpressions.map(compileOrFail),
  };
}

function decide(before: Received, { exchange, variables }: Prepared<Received>, rules: readonly Rule[]): Outcome {
  const results = rules.map((rule) => judge(rule, variables));
  const result = verdict(results);
  if (exchange.trace.active) exchange.trace.emit({ type: 'authorizationResult', rules: results, result });
  return result === 'allow' ? goOn(before, exchange) : { kind: 'answer', answer: refusal('authorizationFailed') };
}

/** AUTHZ-001: every expression must be true; one that fails is not. */
function judge({ name, mode, expressions }: Rule, variables: VariableSource): AuthorizationRuleResult {
  return { name, mode, matched: expressions.every((program) => isTrue(program.evaluate(variables))) };
}
