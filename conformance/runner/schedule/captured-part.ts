import type { Observation } from '../steps/step.ts';
import { isObject } from '../values/json.ts';
import { lookup } from '../values/variables.ts';

/**
 * What `capture` of a step keeps: the member at a path, or, of `{ of, re }`, what the first group of the expression finds in the text there,
 * and `else` where it finds nothing. Undefined when there is nothing.
 */
export function readPart(seen: Observation, part: unknown): unknown {
  if (!isObject(part)) return lookup(seen, String(part));
  const text = lookup(seen, String(part['of']));
  const found = typeof text === 'string' ? new RegExp(String(part['re']), 'u').exec(text)?.[1] : undefined;
  return found ?? part['else'];
}

/** The same in words, for who reads that it was not there. */
export function describePart(part: unknown): string {
  return isObject(part) ? `a text at ${String(part['of'])} with ${String(part['re'])}` : `a value at ${String(part)}`;
}
