import { z } from 'zod';
import type { Json } from '../../../json.ts';
import type { Said } from '../said.ts';
import type { LlmFormat } from './format.ts';
import { accessTokenProblem, googleError } from './google-dialect.ts';
import { schemaProblem } from './schema.ts';
import { vectorOf } from './vector.ts';

/** Embeddings on the platform of cloud C. */
export const predict: LlmFormat = {
  name: 'Predict',
  path: '/v1/projects/p/locations/global/publishers/google/models/text-embedding-005:predict',
  at: (path) => {
    const model = PLACE.exec(path)?.[1];
    return model === undefined ? undefined : { model: decodeURIComponent(model), streaming: false };
  },
  headerProblem: accessTokenProblem,
  bodyProblem: (request) => schemaProblem(requestSchema, request),
  error: googleError,
  reply,
};

const PLACE = /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/([^/:]+):predict$/;

const TASKS = [
  'RETRIEVAL_QUERY',
  'RETRIEVAL_DOCUMENT',
  'SEMANTIC_SIMILARITY',
  'CLASSIFICATION',
  'CLUSTERING',
  'QUESTION_ANSWERING',
  'FACT_VERIFICATION',
  'CODE_RETRIEVAL_QUERY',
] as const;

const requestSchema = z.strictObject({
  instances: z
    .array(
      z.strictObject({ content: z.string().min(1), task_type: z.enum(TASKS).optional(), title: z.string().optional() }),
    )
    .min(1),
  parameters: z
    .strictObject({ autoTruncate: z.boolean().optional(), outputDimensionality: z.int().min(1).optional() })
    .optional(),
});

const DIMENSIONS = 4;

function reply({ tokens }: Said, request: Json): Json {
  const { instances, parameters } = requestSchema.parse(request);
  const dimensions = parameters?.outputDimensionality ?? DIMENSIONS;
  const others = instances.length - 1;
  return {
    predictions: instances.map(({ content }, index) => ({
      embeddings: {
        values: vectorOf(content, dimensions),
        // All together they are what the script says.
        statistics: { truncated: false, token_count: index === 0 ? (tokens?.input ?? 0) - others : 1 },
      },
    })),
  };
}
