import { isCelError } from '@bufbuild/cel';
import type { CelInput, CelList, CelResult, CelValue } from '@bufbuild/cel';

/** Variables by name. Has no prototype of its own kind, so no inherited name is ever a variable. */
export type Bindings = Record<string, CelInput>;

/** A part of an expression that a lazy function may run. */
export interface PlannedPart {
  readonly locals: readonly string[];
  readonly run: (bindings: Bindings) => CelResult;
}

/** One evaluation under way. Evaluation is synchronous, so there is one at a time; a nested one is a program bug. */
interface Frame {
  readonly bindings: Bindings;
  readonly parts: readonly PlannedPart[];
  budget: number;
}

/** Units of work one evaluation may spend on loops, growing values and patterns: under a second at worst. */
const BUDGET = 200_000;
let running: Frame | undefined;

/** Runs `task` with the variables and parts that lazy functions will look for. */
export function inFrame<Result>(bindings: Bindings, parts: readonly PlannedPart[], task: () => Result): Result {
  const outer = running;
  running = { bindings, parts, budget: BUDGET };
  // Failures are ordinary results here, and most of the cost of one is a stack that nobody reads.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return task();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    running = outer;
  }
}

/** Pays for work. Throws when the evaluation has spent its budget. */
export function spend(units: number): void {
  if (running === undefined) return;
  running.budget -= units;
  if (running.budget < 0) throw new Error('the expression does too much work');
}

/** Pays for a new text or byte string by its size, so that no expression grows values without end. */
export function payForSize<Value extends { readonly length: number }>(value: Value): Value {
  spend(value.length >> 8);
  return value;
}

/** True when nothing more may be spent: then no failure may be swallowed. */
export function isSpent(): boolean {
  return running !== undefined && running.budget < 0;
}

/** Runs a part with the values of the names bound around it, in their order. */
export function runPart(number: bigint, locals: Iterable<CelValue>, more: readonly CelValue[] = []): CelResult {
  const part = running?.parts[Number(number)];
  if (running === undefined || part === undefined) throw new Error('no such part');
  if (part.locals.length === 0) return part.run(running.bindings);
  const bindings: Bindings = { __proto__: running.bindings };
  const values = [...locals, ...more];
  for (const [index, name] of part.locals.entries()) bindings[name] = values[index] ?? null;
  return part.run(bindings);
}

/** Runs parts in order until one gives what `accept` takes. */
export function firstPart<Result>(
  numbers: CelList,
  locals: CelList,
  accept: (result: CelResult) => Result | undefined,
): Result | undefined {
  for (const number of numbers) {
    if (typeof number !== 'bigint') throw new Error('no such part');
    const accepted = accept(runPart(number, locals));
    if (accepted !== undefined) return accepted;
  }
  return undefined;
}

/** Fails like the result failed, or gives its value. */
export function valueOf(result: CelResult): CelValue {
  if (isCelError(result)) throw result;
  return result;
}
