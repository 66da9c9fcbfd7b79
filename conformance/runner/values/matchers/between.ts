import { isList } from '../json.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const between: Matcher = {
  name: '~between',
  text: 'is a number from the first to the second one, both included',
  problem: (argument) => (boundsOf(argument) === undefined ? 'takes two numbers, the smaller first' : undefined),
  check: (use) => {
    const [low, high] = boundsOf(use.argument) ?? [Number.NaN, Number.NaN];
    const ok = typeof use.actual === 'number' && use.actual >= low && use.actual <= high;
    return one(use, ok, `a number from ${low} to ${high}`);
  },
};

/** The bounds of a `[low, high]` argument; undefined when it is something else. */
export function boundsOf(argument: unknown): readonly [number, number] | undefined {
  if (!isList(argument) || argument.length !== 2) return undefined;
  const [low, high] = argument;
  return typeof low === 'number' && typeof high === 'number' && low <= high ? [low, high] : undefined;
}
