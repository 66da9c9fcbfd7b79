import { z } from 'zod';
import { json, listOf, mapOf, shortString } from '../../../scalars.ts';
import { fieldTransformation } from './field-transformation.ts';
import { aiPromptGuard } from './prompt-guard.ts';

const message = z.strictObject({ role: z.string(), content: z.string() });

const aiPromptEnrichment = z.strictObject({
  prepend: z.array(message).exactOptional(),
  append: z.array(message).exactOptional(),
});

const fieldDefault = z.strictObject({ field: shortString, value: json });

const promptCaching = z.strictObject({
  cacheSystem: z.boolean().exactOptional(),
  cacheMessages: z.boolean().exactOptional(),
  cacheTools: z.boolean().exactOptional(),
  minTokens: z.number().int().min(0).exactOptional(),
  cacheMessageOffset: z.number().int().min(0).exactOptional(),
});

const routeType = z.enum([
  'Completions',
  'Messages',
  'Models',
  'Passthrough',
  'Detect',
  'Responses',
  'Vendor4TokenCount',
  'Embeddings',
  'Realtime',
  'Rerank',
]);

export const backendAi = z.strictObject({
  prompt: aiPromptEnrichment.exactOptional(),
  promptGuard: aiPromptGuard.exactOptional(),
  defaults: listOf(fieldDefault, 1, 64).exactOptional(),
  overrides: listOf(fieldDefault, 1, 64).exactOptional(),
  transformations: listOf(fieldTransformation, 1, 64).exactOptional(),
  modelAliases: mapOf(z.string(), 0, 64).exactOptional(),
  promptCaching: promptCaching.exactOptional(),
  /** URL path suffix, or `*`, to the format spoken there. */
  routes: z.record(z.string(), routeType).exactOptional(),
});

export type BackendAI = z.infer<typeof backendAi>;
export type RouteType = z.infer<typeof routeType>;
