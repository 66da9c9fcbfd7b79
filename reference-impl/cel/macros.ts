import { call, identifier, identifierName, inPlaceOf, integer, list, text, yes } from './syntax.ts';
import type { Call, Comprehension, Expression } from './syntax.ts';

/** Where in an expression something stands. */
export interface Scope {
  /** Names bound around it, outermost first. */
  readonly locals: readonly string[];
  readonly depth: number;
}

/** What a macro may ask of the walk through the expression. */
export interface Rewriter {
  readonly roots: ReadonlySet<string>;
  readonly rewrite: (node: Expression, scope: Scope) => Expression;
  /** Sets a part of the expression apart and gives its number. */
  readonly addPart: (node: Expression, scope: Scope) => number;
  /** All of that root is needed. */
  readonly noteRoot: (name: string) => void;
}

/** The expression a call stands for, or undefined when it is an ordinary call after all. */
export type Macro = (rewriter: Rewriter, node: Expression, value: Call, scope: Scope) => Expression | undefined;

/** Calls the engine has no macro for. Their arguments must not be evaluated before it is known whether they are needed. */
export const FUNCTION_MACROS: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  [
    'default',
    (rewriter, node, { args }, scope) =>
      args.length === 2 ? lazily('@default', args, { rewriter, node, scope }) : undefined,
  ],
  [
    'coalesce',
    (rewriter, node, { args }, scope) =>
      args.length > 0 ? lazily('@coalesce', args, { rewriter, node, scope }) : undefined,
  ],
  ['variables', (rewriter, node, { args }) => (args.length === 0 ? allVariables(rewriter, node) : undefined)],
]);

/** The same with a target: `target.name(x, expression over x)`. */
export const METHOD_MACROS: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['with', (rewriter, node, value, scope) => overName(value, (over) => bind(rewriter, node, over, scope))],
  [
    'mapValues',
    (rewriter, node, value, scope) =>
      overName(value, (over) => perEntry('@mapValues', over, { rewriter, node, scope })),
  ],
  [
    'filterKeys',
    (rewriter, node, value, scope) =>
      overName(value, (over) => perEntry('@filterKeys', over, { rewriter, node, scope })),
  ],
]);

/** A loop that `map` or `filter` expanded to, as one call: the engine's way to build a list takes time in the square of its length. */
export function collect(
  rewriter: Rewriter,
  node: Expression,
  loop: Comprehension,
  scope: Scope,
): Expression | undefined {
  const parts = listMacro(loop);
  if (parts === undefined || loop.iterRange === undefined) return undefined;
  const numbers = parts.map((part) => integer(node, rewriter.addPart(part, inside(scope, loop.iterVar))));
  return call(node, '@collect', [rewriter.rewrite(loop.iterRange, scope), list(node, numbers), boundHere(node, scope)]);
}

/** The scope of an expression over one more name. */
export function inside({ locals, depth }: Scope, local: string): Scope {
  return { locals: [...locals, local], depth };
}

/** The call that is rewritten, and what is known there. */
interface Place {
  readonly rewriter: Rewriter;
  readonly node: Expression;
  readonly scope: Scope;
}

/** `f(a, b)` becomes `@f([number of a, number of b], [values of the names bound here])`. */
function lazily(name: string, args: readonly Expression[], { rewriter, node, scope }: Place): Expression {
  const numbers = args.map((argument) => integer(node, rewriter.addPart(argument, scope)));
  return call(node, name, [list(node, numbers), boundHere(node, scope)]);
}

interface OverName {
  readonly target: Expression;
  readonly local: string;
  readonly body: Expression;
}

function overName({ target, args }: Call, expand: (over: OverName) => Expression): Expression | undefined {
  const [variable, body] = args;
  const local = identifierName(variable);
  if (target === undefined || local === undefined || body === undefined || args.length !== 2) return undefined;
  return expand({ target, local, body });
}

/** `m.f(x, part)` becomes `@f(m, number of the part, [values of the names bound here])`. */
function perEntry(name: string, { target, local, body }: OverName, { rewriter, node, scope }: Place): Expression {
  const number = rewriter.addPart(body, inside(scope, local));
  return call(node, name, [rewriter.rewrite(target, scope), integer(node, number), boundHere(node, scope)]);
}

/** `x.with(v, body)` is a loop of one round over `[x]`: the body sees `v`, its value or its failure is the result. */
function bind(rewriter: Rewriter, node: Expression, { target, local, body }: OverName, scope: Scope): Expression {
  return inPlaceOf(node, {
    case: 'comprehensionExpr',
    value: {
      $typeName: 'cel.expr.Expr.Comprehension',
      iterVar: local,
      iterVar2: '',
      iterRange: list(node, [rewriter.rewrite(target, scope)]),
      accuVar: '@with',
      accuInit: yes(node),
      loopCondition: yes(node),
      loopStep: rewriter.rewrite(body, inside(scope, local)),
      result: identifier(node, '@with'),
    },
  });
}

/** `variables()` names every root, so everything is captured. */
function allVariables({ roots, noteRoot }: Rewriter, node: Expression): Expression {
  const entries = [...roots].map((root) => {
    noteRoot(root);
    return {
      $typeName: 'cel.expr.Expr.CreateStruct.Entry' as const,
      id: node.id,
      keyKind: { case: 'mapKey' as const, value: text(node, root) },
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

/** The step, and the condition when there is one, of a loop that `map` or `filter` expanded to; undefined for other loops. */
function listMacro({ accuInit, accuVar, loopStep }: Comprehension): Expression[] | undefined {
  if (accuInit?.exprKind.case !== 'listExpr' || loopStep?.exprKind.case !== 'callExpr') return undefined;
  const { function: name, args } = loopStep.exprKind.value;
  if (name === '_+_') return appendTo(args[0], args[1], accuVar);
  const [condition, append] = args;
  if (name !== '_?_:_' || condition === undefined || append?.exprKind.case !== 'callExpr') return undefined;
  const step = appendTo(append.exprKind.value.args[0], append.exprKind.value.args[1], accuVar);
  return step && [...step, condition];
}

function appendTo(
  before: Expression | undefined,
  added: Expression | undefined,
  accuVar: string,
): Expression[] | undefined {
  if (identifierName(before) !== accuVar || added?.exprKind.case !== 'listExpr') return undefined;
  return added.exprKind.value.elements.slice(0, 1);
}

function boundHere(node: Expression, scope: Scope): Expression {
  return list(
    node,
    scope.locals.map((local) => identifier(node, local)),
  );
}
