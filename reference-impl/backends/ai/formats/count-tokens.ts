import type { UpstreamFormat } from './format.ts';

/** The count of vendor7, for its models that come from vendor4. The tokens that were counted are not tokens that were used. */
export const countTokens: UpstreamFormat = {
  name: 'count-tokens',
  usage: () => undefined,
  usageOfEvent: () => undefined,
  responseModel: () => undefined,
};
