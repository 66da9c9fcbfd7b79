import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { spend } from './frame.ts';

/** Longer patterns are refused: compiling costs time and memory in proportion. */
const MAX_LENGTH = 2_048;
/** Patterns come from configuration, but an expression may also build one from a request. */
const cache = new LRUCache<string, RE2JS>({ max: 1_000 });

/** A pattern on RE2: matching takes time linear in the input. Throws an Error for a bad pattern. */
export function pattern(text: string): RE2JS {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (text.length > MAX_LENGTH) throw new Error(`pattern longer than ${MAX_LENGTH} characters`);
  const compiled = RE2JS.compile(text);
  cache.set(text, compiled);
  return compiled;
}

/** True when the pattern is found anywhere in the text. The work, which grows with both, is paid for. */
export function matches(text: string, expression: string): boolean {
  spend((text.length * expression.length) >> 8);
  return pattern(expression).test(text);
}
