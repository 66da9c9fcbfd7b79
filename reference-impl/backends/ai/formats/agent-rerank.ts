import type { UpstreamFormat } from './format.ts';

/** Rerank of vendor7: `queries` and `sources` in, scored `results` out. It says nothing about tokens. */
export const agentRerank: UpstreamFormat = {
  name: 'agent-rerank',
  usage: () => undefined,
  usageOfEvent: () => undefined,
  responseModel: () => undefined,
};
