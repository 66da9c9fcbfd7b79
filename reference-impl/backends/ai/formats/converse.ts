import type { UpstreamFormat, Usage } from './format.ts';
import { converseEvents } from './converse/events.ts';
import { asNumber, asObject, present, type Json } from '../json.ts';
import { withCachePoints } from './converse/prompt-caching.ts';

/** Converse: spoken by vendor7 only. Neither its replies nor its events name the model. */
export const converse: UpstreamFormat = {
  name: 'converse',
  usage: converseUsage,
  usageOfEvent: (event) => converseUsage(asObject(event['metadata']) ?? {}),
  responseModel: () => undefined,
  withCachePoints,
  streams: { contentType: 'application/vnd.amazon.eventstream', cutter: converseEvents },
};

/** This provider leaves the cache out of `inputTokens`; ours has it in. */
function converseUsage(reply: Json): Usage | undefined {
  const usage = asObject(reply['usage']);
  if (usage === undefined) return undefined;
  const input = asNumber(usage['inputTokens']);
  const cached = asNumber(usage['cacheReadInputTokens']);
  const created = asNumber(usage['cacheWriteInputTokens']);
  const inputTokens = (input ?? 0) + (cached ?? 0) + (created ?? 0);
  const outputTokens = asNumber(usage['outputTokens']) ?? 0;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...present({
      providerInputTokens: input,
      providerTotalTokens: asNumber(usage['totalTokens']),
      cachedInputTokens: cached,
      cacheCreationInputTokens: created,
    }),
  };
}
