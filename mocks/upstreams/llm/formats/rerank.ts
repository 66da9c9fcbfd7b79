import { z } from 'zod';
import type { Json } from '../../../json.ts';
import type { Said } from '../said.ts';
import type { LlmFormat } from './format.ts';
import { bearerProblem, openAiError } from './openai-dialect.ts';
import { schemaProblem } from './schema.ts';

/** Rerank. */
export const rerank: LlmFormat = {
  name: 'Rerank',
  path: '/v1/rerank',
  headerProblem: bearerProblem,
  bodyProblem: (request) => schemaProblem(requestSchema, request),
  error: openAiError,
  reply,
};

const requestSchema = z.strictObject({
  model: z.string().min(1),
  query: z.string().min(1),
  documents: z.array(z.union([z.string(), z.strictObject({ text: z.string() })])).min(1),
  top_n: z.int().min(1).optional(),
  return_documents: z.boolean().optional(),
  max_tokens_per_doc: z.int().min(1).optional(),
});

/** The last document is the best. */
function reply({ tokens }: Said, request: Json, model: string): Json {
  const { documents, top_n: most = documents.length } = z.object(requestSchema.shape).parse(request);
  const results = documents.map((_, index) => ({
    index,
    relevance_score: Number((0.9 - (documents.length - 1 - index) * 0.2).toFixed(2)),
  }));
  return {
    id: 'rerank-mock',
    model,
    results: results.toReversed().slice(0, most),
    ...(tokens === undefined ? {} : { usage: { prompt_tokens: tokens.input, total_tokens: tokens.input } }),
  };
}
