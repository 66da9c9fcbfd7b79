import type { UpstreamFormat, Usage } from './format.ts';
import { converseEvents } from './converse/events.ts';
import { asNumber, asObject, type Json } from '../../json.ts';
import { withCachePoints } from './converse/prompt-caching.ts';
import { usageBesideCache } from './usage-beside-cache.ts';

/** Converse: spoken by vendor7 only. Neither its replies nor its events name the model. */
export const converse: UpstreamFormat = {
  name: 'converse',
  usage: converseUsage,
  usageOfEvent: (event) => converseUsage(asObject(event['metadata']) ?? {}),
  responseModel: () => undefined,
  withCachePoints,
  streams: { contentType: 'application/vnd.amazon.eventstream', cutter: converseEvents },
};

function converseUsage(reply: Json): Usage | undefined {
  const usage = asObject(reply['usage']);
  return (
    usage &&
    usageBesideCache({
      input: asNumber(usage['inputTokens']),
      output: asNumber(usage['outputTokens']),
      total: asNumber(usage['totalTokens']),
      cached: asNumber(usage['cacheReadInputTokens']),
      created: asNumber(usage['cacheWriteInputTokens']),
    })
  );
}
