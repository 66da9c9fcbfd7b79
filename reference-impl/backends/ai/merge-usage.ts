import type { Usage } from './format.ts';

/**
 * Usage after one more event of a stream: counts are running totals, so the later one wins and a count that is not
 * mentioned stays.
 */
export function mergeUsage(known: Partial<Usage> | undefined, next: Partial<Usage>): Usage {
  const merged = { ...known, ...next };
  const { inputTokens = 0, outputTokens = 0 } = merged;
  return { ...merged, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
