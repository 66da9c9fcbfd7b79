import type { Expression } from './syntax.ts';

const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** What is wrong with a constant, which the parser takes at any size; undefined when nothing is. */
export function constantProblem({ exprKind }: Expression): string | undefined {
  if (exprKind.case !== 'constExpr') return undefined;
  const { constantKind } = exprKind.value;
  if (constantKind.case === 'int64Value' && (constantKind.value > MAX_INT || constantKind.value < -MAX_INT - 1n)) {
    return `integer out of range: ${shorten(constantKind.value)}`;
  }
  if (constantKind.case === 'uint64Value' && constantKind.value > MAX_UINT) {
    return `unsigned integer out of range: ${shorten(constantKind.value)}`;
  }
  return undefined;
}

function shorten(value: bigint): string {
  const digits = value.toString();
  return digits.length > 40 ? `${digits.slice(0, 40)}…` : digits;
}
