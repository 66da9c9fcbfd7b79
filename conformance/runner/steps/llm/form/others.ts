import { z } from 'zod';
import { count } from './count.ts';

/** A list of vectors: `CreateEmbeddingResponse` of the package openai; a vector is base64 for who asked for that. */
export const embeddingsSchema = z.looseObject({
  object: z.literal('list'),
  model: z.string().min(1),
  data: z
    .array(
      z.looseObject({
        object: z.literal('embedding'),
        index: count,
        embedding: z.union([z.array(z.number()).min(1), z.base64().min(1)]),
      }),
    )
    .min(1),
  usage: z.looseObject({ prompt_tokens: count, total_tokens: count }),
});

/** Documents in their order, as rerank APIs tell them. */
export const rerankSchema = z.looseObject({
  results: z.array(z.looseObject({ index: count, relevance_score: z.number() })).min(1),
});

/** `MessageTokensCount` of the package @anthropic-ai/sdk. */
export const tokenCountSchema = z.looseObject({ input_tokens: count });

/** An answer of provider 5 in its native form: `GenerateContentResponse` of its public API reference. */
export const generateContentSchema = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        index: count.optional(),
        finishReason: z.string().optional(),
        content: z.looseObject({ role: z.literal('model'), parts: z.array(z.looseObject({})) }),
      }),
    )
    .min(1),
  usageMetadata: z.looseObject({ promptTokenCount: count, totalTokenCount: count }),
  modelVersion: z.string().min(1),
});

/** An answer to Converse: the members its public API reference requires. */
export const converseSchema = z.looseObject({
  output: z.looseObject({
    message: z.looseObject({ role: z.literal('assistant'), content: z.array(z.looseObject({})) }),
  }),
  stopReason: z.string().min(1),
  usage: z.looseObject({ inputTokens: count, outputTokens: count, totalTokens: count }),
  metrics: z.looseObject({ latencyMs: count }),
});

/** Models of a provider: `Model` of the package openai, or `ModelInfo` of @anthropic-ai/sdk. */
export const modelListSchema = z.looseObject({
  data: z
    .array(
      z.union([
        z.looseObject({ id: z.string().min(1), object: z.literal('model'), created: z.int(), owned_by: z.string() }),
        z.looseObject({ id: z.string().min(1), display_name: z.string(), created_at: z.string() }),
      ]),
    )
    .min(1),
});

/** The same for a prompt that provider 5 did not let in. */
export const refusedContentSchema = z.looseObject({
  promptFeedback: z.looseObject({ blockReason: z.string().min(1) }),
  usageMetadata: z.looseObject({ promptTokenCount: count, totalTokenCount: count }),
  modelVersion: z.string().min(1),
});

/** Pictures: `ImagesResponse` of the package openai. */
export const imagesSchema = z.looseObject({ created: z.int(), data: z.array(z.looseObject({})).min(1) });
