import type { Program, VariableSource } from '../cel/compile.ts';

/** When requests are sampled. */
export interface Sampling {
  /** Of requests without a trace; undefined samples none. */
  readonly random: Program | undefined;
  /** Of requests with one; undefined samples all. */
  readonly client: Program | undefined;
}

/**
 * Whether a request is sampled. OTEL-011, OTEL-014: each of the two settings is for its own requests only; OTEL-007,
 * OTEL-012: unset, requests without a trace never are, and those with one always (OTEL-018: whatever its flag says).
 */
export function isSampled(
  { random: ofOthers, client: ofTraced }: Sampling,
  hasTrace: boolean,
  variables: VariableSource,
  random: () => number,
): boolean {
  const program = hasTrace ? ofTraced : ofOthers;
  return program === undefined ? hasTrace : chooses(program, variables, random);
}

/** OTEL-021: a boolean decides, a number from 0 to 1 is a share. What is neither, or fails, samples nothing. */
function chooses(program: Program, variables: VariableSource, random: () => number): boolean {
  const evaluation = program.evaluate(variables);
  if (!evaluation.ok) return false;
  const { value } = evaluation;
  return value === true || (typeof value === 'number' && value <= 1 && random() < value);
}
