import { z } from 'zod';
import type { Json } from '../../../json.ts';
import type { Said } from '../said.ts';
import type { LlmFormat, Problem } from './format.ts';
import { bearerProblem, openAiError } from './openai-dialect.ts';
import { schemaProblem } from './schema.ts';
import { vectorOf } from './vector.ts';

/** Embeddings. */
export const embeddings: LlmFormat = {
  name: 'Embeddings',
  path: '/v1/embeddings',
  alsoAt: ['/v1beta/openai/embeddings'],
  headerProblem: bearerProblem,
  bodyProblem: (request): Problem | undefined => schemaProblem(requestSchema, request),
  error: openAiError,
  reply,
};

const ids = z.array(z.int().min(0)).min(1).max(8192);

const requestSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2048), ids, z.array(ids).min(1).max(2048)]),
  dimensions: z.int().min(1).max(3072).optional(),
  encoding_format: z.enum(['float', 'base64']).optional(),
  user: z.string().optional(),
});

const DIMENSIONS = 4;
/** What a provider that takes anything makes of what is no request. */
const NOTHING: z.infer<typeof requestSchema> = { model: '', input: 'nothing' };

function reply(said: Said, request: Json, model: string): Json {
  const known = z.object(requestSchema.shape).safeParse(request).data ?? NOTHING;
  const { input, dimensions = DIMENSIONS, encoding_format: encoding } = known;
  const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input];
  const tokens = said.tokens?.input ?? 0;
  return {
    object: 'list',
    data: inputs.map((one, index) => ({
      object: 'embedding',
      index,
      embedding: encodeVector(vectorOf(JSON.stringify(one), dimensions), encoding),
    })),
    model,
    ...(said.tokens === undefined ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}

function encodeVector(vector: readonly number[], encoding: string | undefined): readonly number[] | string {
  return encoding === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector;
}
