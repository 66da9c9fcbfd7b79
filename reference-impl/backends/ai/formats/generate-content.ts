import type { UpstreamFormat, Usage } from './format.ts';
import { asNumber, asObject, asString, present, type Json } from '../../json.ts';

/** The native form of provider 5: `contents` in, `candidates` out; an event of a stream is a reply in itself. */
export const generateContent: UpstreamFormat = {
  name: 'generate-content',
  usage: generateContentUsage,
  usageOfEvent: generateContentUsage,
  responseModel: (reply) => asString(reply['modelVersion']),
};

/** Token counts of a reply or of an event; thinking is counted beside the rest of the output. */
export function generateContentUsage(reply: Json): Usage | undefined {
  const usage = asObject(reply['usageMetadata']);
  if (usage === undefined) return undefined;
  const tokens = (member: string): number => asNumber(usage[member]) ?? 0;
  const inputTokens = tokens('promptTokenCount') + tokens('toolUsePromptTokenCount');
  const outputTokens = tokens('candidatesTokenCount') + tokens('thoughtsTokenCount');
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    providerInputTokens: inputTokens,
    ...present({
      providerTotalTokens: asNumber(usage['totalTokenCount']),
      cachedInputTokens: asNumber(usage['cachedContentTokenCount']),
      reasoningTokens: asNumber(usage['thoughtsTokenCount']),
    }),
  };
}
