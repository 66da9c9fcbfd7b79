import type { Usage } from '../formats/format.ts';

/**
 * Usage after one more event of a stream. Counts are running totals, so the larger one is the newer one; an event that
 * leaves a count out, or repeats it as 0, changes nothing.
 */
export function mergeUsage(known: Partial<Usage> | undefined, next: Partial<Usage>): Usage {
  const merged: Partial<Record<keyof Usage, number>> = { ...known };
  for (const member of MEMBERS) {
    const count = next[member];
    if (count !== undefined) merged[member] = Math.max(merged[member] ?? 0, count);
  }
  const { inputTokens = 0, outputTokens = 0 } = merged;
  return { ...merged, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

const MEMBERS = [
  'inputTokens',
  'outputTokens',
  'providerInputTokens',
  'providerTotalTokens',
  'cachedInputTokens',
  'cacheCreationInputTokens',
  'reasoningTokens',
  'inputAudioTokens',
  'outputAudioTokens',
  'inputImageTokens',
  'inputTextTokens',
  'outputImageTokens',
  'outputTextTokens',
] as const satisfies readonly (keyof Usage)[];
