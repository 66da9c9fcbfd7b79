import type { UpstreamFormat } from './format.ts';

/** Ranking of the platform of cloud C: `records` in, scored `records` out. It says nothing about tokens. */
export const rank: UpstreamFormat = {
  name: 'rank',
  usage: () => undefined,
  usageOfEvent: () => undefined,
  responseModel: () => undefined,
};
