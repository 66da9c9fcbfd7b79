import type { parse } from '@bufbuild/cel';

/** A node of a parsed expression. */
export type Expression = ReturnType<typeof parse>['expr'];
export type Kind = Expression['exprKind'];
export type Call = Extract<Kind, { case: 'callExpr' }>['value'];
export type Comprehension = Extract<Kind, { case: 'comprehensionExpr' }>['value'];

/** A node in the place of `like`: it keeps the id, so errors still point into the source. */
export function inPlaceOf(like: Expression, exprKind: Kind): Expression {
  return { $typeName: 'cel.expr.Expr', id: like.id, exprKind };
}

export function identifier(like: Expression, name: string): Expression {
  return inPlaceOf(like, { case: 'identExpr', value: { $typeName: 'cel.expr.Expr.Ident', name } });
}

export function call(like: Expression, name: string, args: Expression[]): Expression {
  return inPlaceOf(like, { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } });
}

export function list(like: Expression, elements: Expression[]): Expression {
  const value = { $typeName: 'cel.expr.Expr.CreateList', elements, optionalIndices: [] } as const;
  return inPlaceOf(like, { case: 'listExpr', value: { ...value, optionalIndices: [] } });
}

export function integer(like: Expression, value: number): Expression {
  return inPlaceOf(like, {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'int64Value', value: BigInt(value) } },
  });
}

export function text(like: Expression, value: string): Expression {
  return inPlaceOf(like, {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'stringValue', value } },
  });
}

export function yes(like: Expression): Expression {
  return inPlaceOf(like, {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'boolValue', value: true } },
  });
}

/** The identifier's name when the node is one. */
export function identifierName(expression: Expression | undefined): string | undefined {
  return expression?.exprKind.case === 'identExpr' ? expression.exprKind.value.name : undefined;
}

/** The text when the node is a string constant. */
export function stringConstant(expression: Expression | undefined): string | undefined {
  if (expression?.exprKind.case !== 'constExpr') return undefined;
  const { constantKind } = expression.exprKind.value;
  return constantKind.case === 'stringValue' ? constantKind.value : undefined;
}

/** `a.b.c` as text when the node is a chain of names. */
export function qualifiedName(expression: Expression | undefined): string | undefined {
  if (expression?.exprKind.case !== 'selectExpr') return identifierName(expression);
  const { operand, field, testOnly } = expression.exprKind.value;
  const parent = testOnly ? undefined : qualifiedName(operand);
  return parent === undefined ? undefined : `${parent}.${field}`;
}
