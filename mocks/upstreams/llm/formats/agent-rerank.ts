import { z } from 'zod';
import type { Json } from '../../../json.ts';
import type { Said } from '../said.ts';
import { cloudError, cloudErrorHeaders } from './converse/dialect.ts';
import { signatureFormProblem } from './converse/signature.ts';
import type { LlmFormat } from './format.ts';
import { anyObject, schemaProblem } from './schema.ts';

/** Rerank of cloud A. The body names the model by its ARN. */
export const agentRerank: LlmFormat = {
  name: 'AgentRerank',
  path: '/rerank',
  at: (path) => (path === '/rerank' ? { model: 'rerank', streaming: false } : undefined),
  headerProblem: signatureFormProblem,
  bodyProblem: (request) => schemaProblem(requestSchema, request),
  error: cloudError,
  errorHeaders: cloudErrorHeaders,
  reply,
};

const text = z.strictObject({ text: z.string().min(1) });

const requestSchema = z.strictObject({
  queries: z.tuple([z.strictObject({ type: z.literal('TEXT'), textQuery: text })]),
  sources: z
    .array(
      z.strictObject({
        type: z.literal('INLINE'),
        inlineDocumentSource: z.union([
          z.strictObject({ type: z.literal('TEXT'), textDocument: text }),
          z.strictObject({ type: z.literal('JSON'), jsonDocument: anyObject }),
        ]),
      }),
    )
    .min(1),
  rerankingConfiguration: z.strictObject({
    type: z.literal('BEDROCK_RERANKING_MODEL'),
    bedrockRerankingConfiguration: z.strictObject({
      modelConfiguration: z.strictObject({
        modelArn: z
          .string()
          .regex(/^arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}::foundation-model\/.+$/, 'expected an ARN'),
      }),
      numberOfResults: z.int().min(1).max(1000).optional(),
    }),
  }),
});

/** The last document is the best. */
function reply(_: Said, request: Json): Json {
  const { sources, rerankingConfiguration } = requestSchema.parse(request);
  const { numberOfResults = sources.length } = rerankingConfiguration.bedrockRerankingConfiguration;
  const ranked = sources.map((_source, index) => ({ index, relevanceScore: Number((0.1 + index * 0.2).toFixed(2)) }));
  return { results: ranked.toReversed().slice(0, numberOfResults) };
}
