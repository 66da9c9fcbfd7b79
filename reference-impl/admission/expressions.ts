import { z } from 'zod';
import { parseDuration } from '../base/duration.ts';
import { findsBelow, schemasOfMember, unwrap } from './schema-tree.ts';
import type { Path, Violation } from './violation.ts';

/** Gives what is wrong with the text of an expression, or undefined. */
export type ExpressionCheck = (text: string) => string | undefined;

/** The expressions of a resource that do not compile, with the place of each. */
export function expressionWarnings(schema: z.core.$ZodType, resource: unknown, check: ExpressionCheck): Violation[] {
  return expressionsIn(schema, resource).flatMap(({ path, text }) => {
    const message = check(text);
    return message === undefined ? [] : [{ path, message: `invalid expression: ${message}` }];
  });
}

/** Every expression of a value, found by its schema. */
export function expressionsIn(
  schema: z.core.$ZodType,
  value: unknown,
  path: Path = [],
): { path: Path; text: string }[] {
  if (typeof value === 'string')
    return unwrap(schema).some((one) => isExpression(one, value)) ? [{ path, text: value }] : [];
  if (typeof value !== 'object' || value === null || !holdsExpressions(schema)) return [];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : Object.entries(value);
  return members.flatMap(([step, member]) =>
    schemasOfMember(schema, step).flatMap((inner) => expressionsIn(inner, member, [...path, step])),
  );
}

const EXPRESSIONS: ReadonlySet<unknown> = new Set(['CELExpression', 'CELExpressionOrDuration']);

const holdsExpressions = findsBelow((schema) =>
  unwrap(schema).some((one) => EXPRESSIONS.has(z.globalRegistry.get(one)?.title)),
);

/** The title says so; notes on a place keep it, so this asks for the title and not for one schema. */
function isExpression(schema: z.core.$ZodType, text: string): boolean {
  const title = z.globalRegistry.get(schema)?.title;
  return title === 'CELExpression' || (title === 'CELExpressionOrDuration' && parseDuration(text) === undefined);
}
