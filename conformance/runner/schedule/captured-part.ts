import type { Observation } from '../steps/step.ts';
import { isList, isObject } from '../values/json.ts';
import { lookup } from '../values/variables.ts';

/**
 * What `capture` of a step keeps: the member at a path, or, of `{ of, re }`, what the first group of the expression finds in the text there,
 * or in the first of several that has it, as a header may stand on several lines, and `else` where it finds nothing. Undefined when there is
 * nothing.
 */
export function readPart(seen: Observation, part: unknown): unknown {
  if (!isObject(part)) return lookup(seen, String(part));
  const there = lookup(seen, String(part['of']));
  const expression = new RegExp(String(part['re']), 'u');
  const texts = (isList(there) ? there : [there]).filter((text) => typeof text === 'string');
  return texts.map((text) => expression.exec(text)?.[1]).find((found) => found !== undefined) ?? part['else'];
}

/** The same in words, for who reads that it was not there. */
export function describePart(part: unknown): string {
  return isObject(part) ? `a text at ${String(part['of'])} with ${String(part['re'])}` : `a value at ${String(part)}`;
}
