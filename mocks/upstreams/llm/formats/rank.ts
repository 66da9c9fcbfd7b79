import { z } from 'zod';
import type { Json } from '../../../json.ts';
import type { Said } from '../said.ts';
import type { LlmFormat } from './format.ts';
import { accessTokenProblem, googleError } from './google-dialect.ts';
import { schemaProblem } from './schema.ts';

/** Ranking on the platform of cloud C. */
export const rank: LlmFormat = {
  name: 'Rank',
  path: '/v1/projects/p/locations/global/rankingConfigs/default_ranking_config:rank',
  at: (path) => (PLACE.test(path) ? { model: 'rank', streaming: false } : undefined),
  headerProblem: accessTokenProblem,
  bodyProblem: (request) => schemaProblem(requestSchema, request),
  error: googleError,
  reply,
};

const PLACE = /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/rankingConfigs\/[^/:]+:rank$/;

const requestSchema = z.strictObject({
  model: z.string().optional(),
  query: z.string().min(1),
  records: z
    .array(z.strictObject({ id: z.string(), title: z.string().optional(), content: z.string().optional() }))
    .min(1),
  topN: z.int().min(1).optional(),
  ignoreRecordDetailsInResponse: z.boolean().optional(),
});

/** The last record is the best: whoever mixes up order and id is found out. */
function reply(_: Said, request: Json): Json {
  const { records, topN = records.length, ignoreRecordDetailsInResponse: bare } = requestSchema.parse(request);
  const ranked = records.toReversed().map(({ id, content }, index) => ({
    id,
    score: Number((0.9 - index * 0.2).toFixed(2)),
    ...(bare === true ? {} : { content }),
  }));
  return { records: ranked.slice(0, topN) };
}
