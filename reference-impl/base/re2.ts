import { RE2JS, RE2JSException } from 're2js';

/** A pattern from configuration. RE2 runs in linear time whatever the pattern; undefined when it is not valid. */
export function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}
