/** Asserts what valid code cannot reach; a failure is a bug, answered 500 and logged with its stack. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}

export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}
