import { isCelError, plan } from '@bufbuild/cel';
import type { CelInput, CelResult } from '@bufbuild/cel';
import { ENVIRONMENT } from './environment.ts';
import { inFrame } from './frame.ts';
import type { Bindings } from './frame.ts';
import type { Lowered } from './lower.ts';
import type { Expression } from './syntax.ts';
import { fromCel, messageToCel, toCel } from './values.ts';
import type { Evaluation, VariableSource } from './program.ts';

/** Plans an expression; the result evaluates it with the variables of one request and never throws. */
export function planProgram(lowered: Lowered): (variables: VariableSource) => Evaluation {
  const run = planExpression(lowered.expression);
  // A literal, as in `randomSampling: 'false'`, says the same of every request.
  if (lowered.expression.exprKind.case === 'constExpr') {
    const result = outcomeOf(run({ __proto__: null }));
    return () => result;
  }
  const parts = lowered.parts.map(({ expression, locals }) => ({ locals, run: planExpression(expression) }));
  const roots = [...lowered.variables];
  return (variables) => {
    try {
      const bindings = bind(roots, variables);
      return outcomeOf(inFrame(bindings, parts, () => run(bindings)));
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
  };
}

function outcomeOf(result: CelResult): Evaluation {
  return isCelError(result) ? { ok: false, error: result.message } : { ok: true, value: fromCel(result) };
}

function planExpression(expression: Expression): (bindings: Bindings) => CelResult {
  const run = plan(ENVIRONMENT, expression);
  return (bindings) => run(bindings);
}

function bind(roots: readonly string[], variables: VariableSource): Bindings {
  const bindings: Bindings = { __proto__: null };
  for (const root of roots) bindings[root] = rootToCel(root, variables(root));
  return bindings;
}

/** Request and response carry headers, which are looked up without regard to case. */
function rootToCel(root: string, value: unknown): CelInput {
  if ((root !== 'request' && root !== 'response') || typeof value !== 'object' || value === null) return toCel(value);
  return messageToCel(value);
}
