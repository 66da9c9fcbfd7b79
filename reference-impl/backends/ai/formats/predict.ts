import type { UpstreamFormat, Usage } from './format.ts';
import { asNumber, asObject, asObjects, type Json } from '../../json.ts';

/** Embeddings of the platform of cloud C: `instances` in, `predictions` out. */
export const predict: UpstreamFormat = {
  name: 'predict',
  usage: predictUsage,
  usageOfEvent: () => undefined,
  responseModel: () => undefined,
};

/** Each prediction tells how many tokens its text has. */
function predictUsage(reply: Json): Usage | undefined {
  const counts = asObjects(reply['predictions'])
    .map((prediction) => asObject(asObject(prediction['embeddings'])?.['statistics']))
    .map((statistics) => asNumber(statistics?.['token_count']))
    .filter((count) => count !== undefined);
  if (counts.length === 0) return undefined;
  const inputTokens = counts.reduce((sum, count) => sum + count, 0);
  return { inputTokens, outputTokens: 0, totalTokens: inputTokens };
}
