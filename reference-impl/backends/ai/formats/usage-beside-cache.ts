import { present } from '../../json.ts';
import type { Usage } from './format.ts';

/** Counts of a provider that leaves out of its input what came from the cache, or went to it. */
export interface CountsBesideCache {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly total?: number | undefined;
  readonly cached: number | undefined;
  readonly created: number | undefined;
}

/** The same with the cache in `inputTokens`. */
export function usageBesideCache({ input, output = 0, total, cached, created }: CountsBesideCache): Usage {
  const inputTokens = (input ?? 0) + (cached ?? 0) + (created ?? 0);
  return {
    inputTokens,
    outputTokens: output,
    totalTokens: inputTokens + output,
    ...present({
      providerInputTokens: input,
      providerTotalTokens: total,
      cachedInputTokens: cached,
      cacheCreationInputTokens: created,
    }),
  };
}
