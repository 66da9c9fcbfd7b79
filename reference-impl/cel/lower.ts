import { isFunction } from './environment.ts';
import type { Body } from './program.ts';
import { ROOTS } from './roots.ts';
import {
  call,
  identifier,
  identifierName,
  inPlaceOf,
  integer,
  list,
  qualifiedName,
  stringConstant,
  yes,
} from './syntax.ts';
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
  const lowering: Lowering = { positions, roots, parts, variables, bodies };
  return { expression: lowerNode(lowering, expression, { locals: [], depth: 0 }), parts, variables, bodies };
}

interface Lowering {
  readonly positions: Readonly<Record<string, number>>;
  readonly roots: ReadonlySet<string>;
  readonly parts: Part[];
  readonly variables: Set<string>;
  readonly bodies: Set<Body>;
}

interface Scope {
  readonly locals: readonly string[];
  readonly depth: number;
}

function lowerNode(lowering: Lowering, node: Expression, outer: Scope): Expression {
  const scope = { locals: outer.locals, depth: outer.depth + 1 };
  if (scope.depth > MAX_DEPTH) fail(lowering, node, 'nested too deeply');
  const { exprKind } = node;
  switch (exprKind.case) {
    case 'constExpr':
      checkRange(lowering, node);
      return node;
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
  const inside = { locals: [...scope.locals, loop.iterVar], depth: scope.depth };
  const building = listMacro(loop);
  if (building !== undefined) {
    const numbers = building.map((part) => integer(node, addPart(lowering, part, inside.locals, scope)));
    return call(node, '@collect', [lowerNode(lowering, iterRange, scope), list(node, numbers), boundHere(node, scope)]);
  }
  const paid = call(node, '_&&_', [call(node, '@tick', []), lowerNode(lowering, loopCondition, inside)]);
  return inPlaceOf(node, {
    case: 'comprehensionExpr',
    value: {
      ...loop,
      accuInit: lowerNode(lowering, accuInit, scope),
      iterRange: lowerNode(lowering, iterRange, scope),
      loopCondition: paid,
      loopStep: lowerNode(lowering, loopStep, inside),
      result: lowerNode(lowering, result, inside),
    },
  });
}

/** The step, and the condition when there is one, of a loop that `map` or `filter` expanded to; undefined for other loops. */
function listMacro({ accuInit, accuVar, loopStep }: Comprehension): Expression[] | undefined {
  if (accuInit?.exprKind.case !== 'listExpr' || loopStep?.exprKind.case !== 'callExpr') return undefined;
  const { function: name, args } = loopStep.exprKind.value;
  if (name === '_+_') return appended(args[0], args[1], accuVar);
  const [condition, append] = args;
  if (name !== '_?_:_' || condition === undefined || append?.exprKind.case !== 'callExpr') return undefined;
  const step = appended(append.exprKind.value.args[0], append.exprKind.value.args[1], accuVar);
  return step && [...step, condition];
}

function appended(
  before: Expression | undefined,
  added: Expression | undefined,
  accuVar: string,
): Expression[] | undefined {
  if (identifierName(before) !== accuVar || added?.exprKind.case !== 'listExpr') return undefined;
  return added.exprKind.value.elements.slice(0, 1);
}

function lowerCall(lowering: Lowering, node: Expression, value: Call, scope: Scope): Expression {
  const macro = value.target === undefined ? FUNCTION_MACROS.get(value.function) : METHOD_MACROS.get(value.function);
  const expanded = macro?.(lowering, node, value, scope);
  if (expanded !== undefined) return expanded;
  if (value.function === '_[_]') return lowerIndex(lowering, node, value, scope);

  const args = value.args.map((argument) => lowerNode(lowering, argument, scope));
  if (value.target === undefined) {
    if (!isFunction(value.function)) fail(lowering, node, undeclared(value.function));
    return inPlaceOf(node, { case: 'callExpr', value: { ...value, args } });
  }
  const prefix = qualifiedName(value.target);
  if (prefix !== undefined && isFunction(`${prefix}.${value.function}`)) {
    return inPlaceOf(node, { case: 'callExpr', value: { ...value, args } });
  }
  if (!isFunction(value.function)) fail(lowering, node, undeclared(value.function));
  return inPlaceOf(node, {
    case: 'callExpr',
    value: { ...value, args, target: lowerNode(lowering, value.target, scope) },
  });
}

/** The parser leaves `has(x)` a call when `x` selects no field. */
function undeclared(name: string): string {
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

type Macro = (lowering: Lowering, node: Expression, value: Call, scope: Scope) => Expression | undefined;

const FUNCTION_MACROS: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  [
    'default',
    (lowering, node, { args }, scope) =>
      args.length === 2 ? lazily(lowering, node, '@default', args, scope) : undefined,
  ],
  [
    'coalesce',
    (lowering, node, { args }, scope) =>
      args.length > 0 ? lazily(lowering, node, '@coalesce', args, scope) : undefined,
  ],
  [
    'variables',
    (lowering, node, { args }, scope) => (args.length === 0 ? allVariables(lowering, node, scope) : undefined),
  ],
]);

const METHOD_MACROS: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['with', (lowering, node, { target, args }, scope) => bind(lowering, node, target, args, scope)],
  [
    'mapValues',
    (lowering, node, { target, args }, scope) => perEntry(lowering, node, '@mapValues', target, args, scope),
  ],
  [
    'filterKeys',
    (lowering, node, { target, args }, scope) => perEntry(lowering, node, '@filterKeys', target, args, scope),
  ],
]);

/** `f(a, b)` becomes `@f([number of a, number of b], [values of the names bound here])`. */
function lazily(
  lowering: Lowering,
  node: Expression,
  name: string,
  args: readonly Expression[],
  scope: Scope,
): Expression {
  const numbers = args.map((argument) => integer(node, addPart(lowering, argument, scope.locals, scope)));
  return call(node, name, [list(node, numbers), boundHere(node, scope)]);
}

/** `m.f(x, part)` becomes `@f(m, number of the part, [values of the names bound here])`. */
function perEntry(
  lowering: Lowering,
  node: Expression,
  name: string,
  target: Expression | undefined,
  args: readonly Expression[],
  scope: Scope,
): Expression | undefined {
  const [variable, body] = args;
  const local = identifierName(variable);
  if (target === undefined || local === undefined || body === undefined || args.length !== 2) return undefined;
  const number = addPart(lowering, body, [...scope.locals, local], scope);
  return call(node, name, [lowerNode(lowering, target, scope), integer(node, number), boundHere(node, scope)]);
}

/** `x.with(v, body)` is a loop of one round over `[x]`: the body sees `v`, its value or its failure is the result. */
function bind(
  lowering: Lowering,
  node: Expression,
  target: Expression | undefined,
  args: readonly Expression[],
  scope: Scope,
): Expression | undefined {
  const [variable, body] = args;
  const local = identifierName(variable);
  if (target === undefined || local === undefined || body === undefined || args.length !== 2) return undefined;
  return inPlaceOf(node, {
    case: 'comprehensionExpr',
    value: {
      $typeName: 'cel.expr.Expr.Comprehension',
      iterVar: local,
      iterVar2: '',
      iterRange: list(node, [lowerNode(lowering, target, scope)]),
      accuVar: '@with',
      accuInit: yes(node),
      loopCondition: yes(node),
      loopStep: lowerNode(lowering, body, { locals: [...scope.locals, local], depth: scope.depth }),
      result: identifier(node, '@with'),
    },
  });
}

/** `variables()` names every root, so everything is captured. */
function allVariables(lowering: Lowering, node: Expression, scope: Scope): Expression {
  const entries = [...lowering.roots].map((root) => {
    noteRoot(lowering, { locals: [], depth: scope.depth }, root, undefined);
    const key = inPlaceOf(node, {
      case: 'constExpr',
      value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'stringValue', value: root } },
    });
    return {
      $typeName: 'cel.expr.Expr.CreateStruct.Entry' as const,
      id: node.id,
      keyKind: { case: 'mapKey' as const, value: key },
      value: identifier(node, root),
      optionalEntry: false,
    };
  });
  const struct = inPlaceOf(node, {
    case: 'structExpr',
    value: { $typeName: 'cel.expr.Expr.CreateStruct', messageName: '', entries },
  });
  return call(node, '@withoutNulls', [struct]);
}

function addPart(lowering: Lowering, expression: Expression, locals: readonly string[], scope: Scope): number {
  const lowered = lowerNode(lowering, expression, { locals, depth: scope.depth });
  return lowering.parts.push({ expression: lowered, locals }) - 1;
}

function boundHere(node: Expression, scope: Scope): Expression {
  return list(
    node,
    scope.locals.map((local) => identifier(node, local)),
  );
}

const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

function checkRange(lowering: Lowering, node: Expression): void {
  if (node.exprKind.case !== 'constExpr') return;
  const { constantKind } = node.exprKind.value;
  const { value } = constantKind;
  if (constantKind.case === 'int64Value' && (constantKind.value > MAX_INT || constantKind.value < -MAX_INT - 1n)) {
    fail(lowering, node, `integer out of range: ${shown(value)}`);
  }
  if (constantKind.case === 'uint64Value' && constantKind.value > MAX_UINT) {
    fail(lowering, node, `unsigned integer out of range: ${shown(value)}`);
  }
}

function shown(value: unknown): string {
  const digits = String(value);
  return digits.length > 40 ? `${digits.slice(0, 40)}…` : digits;
}

function fail(lowering: Lowering, node: Expression, message: string): never {
  throw new ExpressionError(message, lowering.positions[node.id.toString()] ?? 0);
}
