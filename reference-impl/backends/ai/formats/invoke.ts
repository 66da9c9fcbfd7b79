import type { UpstreamFormat } from './format.ts';
import { asNumber, type Json } from '../../json.ts';

/** Invoke: whatever the model of vendor7 itself speaks; here only embeddings. */
export const invoke: UpstreamFormat = {
  name: 'invoke',
  usage: (reply: Json) => {
    const inputTokens = asNumber(reply['inputTextTokenCount']);
    if (inputTokens === undefined) return undefined;
    return { inputTokens, outputTokens: 0, totalTokens: inputTokens, providerInputTokens: inputTokens };
  },
  usageOfEvent: () => undefined,
  responseModel: () => undefined,
};
