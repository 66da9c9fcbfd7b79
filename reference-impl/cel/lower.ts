import { constantProblem } from './constants.ts';
import { isFunction } from './environment.ts';
import { collect, FUNCTION_MACROS, inside, METHOD_MACROS } from './macros.ts';
import type { Rewriter, Scope } from './macros.ts';
import type { Body } from './program.ts';
import { ROOTS } from './roots.ts';
import { call, identifierName, inPlaceOf, qualifiedName, stringConstant } from './syntax.ts';
import type { Call, Comprehension, Expression } from './syntax.ts';

/** An expression made ready for the engine. */
export interface Lowered {
  readonly expression: Expression;
  /** Parts that only run when the function they are an argument of asks for them. */
  readonly parts: readonly Part[];
  readonly variables: ReadonlySet<string>;
  readonly bodies: ReadonlySet<Body>;
}

export interface Part {
  readonly expression: Expression;
  /** Names bound around the part, outermost first: iteration variables and those of `with`. */
  readonly locals: readonly string[];
}

/** What is wrong with an expression, and where: `offset` counts characters from 0. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Deep enough for any real expression, shallow enough for the recursive engine. */
const MAX_DEPTH = 500;

/**
 * Checks an expression and rewrites what the engine has no macro for: lazy functions get their arguments as numbered
 * parts, every loop pays for each round. `roots` are the names that may be variables. Throws ExpressionError.
 */
export function lower(
  expression: Expression,
  positions: Readonly<Record<string, number>>,
  roots: ReadonlySet<string> = ROOTS,
): Lowered {
  const parts: Part[] = [];
  const variables = new Set<string>();
  const bodies = new Set<Body>();
  const top: Scope = { locals: [], depth: 0 };
  const lowering: Lowering = {
    positions,
    roots,
    variables,
    bodies,
    rewrite: (node, scope) => lowerNode(lowering, node, scope),
    addPart: (node, scope) => parts.push({ expression: lowerNode(lowering, node, scope), locals: scope.locals }) - 1,
    noteRoot: (name) => noteRoot(lowering, top, name, undefined),
  };
  return { expression: lowerNode(lowering, expression, top), parts, variables, bodies };
}

interface Lowering extends Rewriter {
  readonly positions: Readonly<Record<string, number>>;
  readonly variables: Set<string>;
  readonly bodies: Set<Body>;
}

function lowerNode(lowering: Lowering, node: Expression, outer: Scope): Expression {
  const scope = { locals: outer.locals, depth: outer.depth + 1 };
  if (scope.depth > MAX_DEPTH) fail(lowering, node, 'nested too deeply');
  const { exprKind } = node;
  switch (exprKind.case) {
    case 'constExpr': {
      const problem = constantProblem(node);
      return problem === undefined ? node : fail(lowering, node, problem);
    }
    case 'identExpr':
      noteRoot(lowering, scope, exprKind.value.name, undefined);
      return node;
    case 'selectExpr': {
      const { operand, field } = exprKind.value;
      if (operand === undefined) return fail(lowering, node, 'nothing to select from');
      const lowered = lowerOperand(lowering, operand, field, scope);
      return inPlaceOf(node, { case: 'selectExpr', value: { ...exprKind.value, operand: lowered } });
    }
    case 'callExpr':
      return lowerCall(lowering, node, exprKind.value, scope);
    case 'listExpr': {
      const elements = exprKind.value.elements.map((element) => lowerNode(lowering, element, scope));
      return inPlaceOf(node, { case: 'listExpr', value: { ...exprKind.value, elements } });
    }
    case 'structExpr': {
      const entries = exprKind.value.entries.map((entry) => {
        const { keyKind } = entry;
        const lowered =
          keyKind.case === 'mapKey' ? { ...keyKind, value: lowerNode(lowering, keyKind.value, scope) } : keyKind;
        return entry.value === undefined
          ? { ...entry, keyKind: lowered }
          : { ...entry, keyKind: lowered, value: lowerNode(lowering, entry.value, scope) };
      });
      return inPlaceOf(node, { case: 'structExpr', value: { ...exprKind.value, entries } });
    }
    case 'comprehensionExpr':
      return lowerComprehension(lowering, node, exprKind.value, scope);
    case undefined:
      break;
  }
  return fail(lowering, node, 'empty expression');
}

function lowerComprehension(lowering: Lowering, node: Expression, loop: Comprehension, scope: Scope): Expression {
  const { accuInit, iterRange, loopCondition, loopStep, result } = loop;
  if (!accuInit || !iterRange || !loopCondition || !loopStep || !result)
    return fail(lowering, node, 'incomplete macro');
  const collecting = collect(lowering, node, loop, scope);
  if (collecting !== undefined) return collecting;
  const within = inside(scope, loop.iterVar);
  const paid = call(node, '_&&_', [call(node, '@tick', []), lowerNode(lowering, loopCondition, within)]);
  return inPlaceOf(node, {
    case: 'comprehensionExpr',
    value: {
      ...loop,
      accuInit: lowerNode(lowering, accuInit, scope),
      iterRange: lowerNode(lowering, iterRange, scope),
      loopCondition: paid,
      loopStep: lowerNode(lowering, loopStep, within),
      result: lowerNode(lowering, result, within),
    },
  });
}

function lowerCall(lowering: Lowering, node: Expression, value: Call, scope: Scope): Expression {
  const macro = value.target === undefined ? FUNCTION_MACROS.get(value.function) : METHOD_MACROS.get(value.function);
  const expanded = macro?.(lowering, node, value, scope);
  if (expanded !== undefined) return expanded;
  if (value.function === '_[_]') return lowerIndex(lowering, node, value, scope);

  const args = value.args.map((argument) => lowerNode(lowering, argument, scope));
  if (value.target === undefined) {
    if (!isFunction(value.function)) fail(lowering, node, unknownFunction(value.function));
    return inPlaceOf(node, { case: 'callExpr', value: { ...value, args } });
  }
  const prefix = qualifiedName(value.target);
  if (prefix !== undefined && isFunction(`${prefix}.${value.function}`)) {
    return inPlaceOf(node, { case: 'callExpr', value: { ...value, args } });
  }
  if (!isFunction(value.function)) fail(lowering, node, unknownFunction(value.function));
  return inPlaceOf(node, {
    case: 'callExpr',
    value: { ...value, args, target: lowerNode(lowering, value.target, scope) },
  });
}

/** The parser leaves `has(x)` a call when `x` selects no field. */
function unknownFunction(name: string): string {
  return name === 'has' ? 'has() takes a field such as has(a.b)' : `undeclared function: ${name}`;
}

function lowerIndex(lowering: Lowering, node: Expression, value: Call, scope: Scope): Expression {
  const [operand, index] = value.args;
  if (operand === undefined || index === undefined) return fail(lowering, node, 'incomplete index');
  const field = stringConstant(index);
  const target =
    field === undefined ? lowerNode(lowering, operand, scope) : lowerOperand(lowering, operand, field, scope);
  return inPlaceOf(node, { case: 'callExpr', value: { ...value, args: [target, lowerNode(lowering, index, scope)] } });
}

/** `request.method` needs less of `request` than `request` alone does. */
function lowerOperand(lowering: Lowering, operand: Expression, field: string, scope: Scope): Expression {
  const name = identifierName(operand);
  if (name === undefined) return lowerNode(lowering, operand, scope);
  noteRoot(lowering, scope, name, field);
  return operand;
}

function noteRoot(lowering: Lowering, scope: Scope, name: string, field: string | undefined): void {
  if (scope.locals.includes(name) || !lowering.roots.has(name)) return;
  lowering.variables.add(name);
  if (name !== 'request' && name !== 'response') return;
  if (field === undefined || field === 'body' || field === 'bodyPrefix') lowering.bodies.add(name);
}

function fail(lowering: Lowering, node: Expression, message: string): never {
  throw new ExpressionError(message, lowering.positions[node.id.toString()] ?? 0);
}
