import { z } from 'zod';
import { noted } from '../../../notes.ts';
import { json, listOf, mapOf, shortString } from '../../../scalars.ts';
import { fieldTransformation } from './field-transformation.ts';
import { aiPromptGuard } from './prompt-guard.ts';

/** `role` as the provider spells it, such as SYSTEM (ADMIT-101). */
const message = noted(z.strictObject({ role: z.string(), content: z.string() }), { requires: 'ADMIT-101' });

const aiPromptEnrichment = z.strictObject({
  prepend: z.array(message).exactOptional(),
  append: z.array(message).exactOptional(),
});

const fieldDefault = z.strictObject({ field: shortString, value: json });

/** Cache points in prompts, for models of vendor7 that support them (CACHE-001 to CACHE-009). */
const promptCaching = z.strictObject({
  cacheSystem: noted(z.boolean(), { default: true }).exactOptional(),
  cacheMessages: noted(z.boolean(), { default: true }).exactOptional(),
  cacheTools: noted(z.boolean(), { default: false }).exactOptional(),
  minTokens: noted(z.number().int().min(0), { default: 1024 }).exactOptional(),
  cacheMessageOffset: noted(z.number().int().min(0), { default: 0 }).exactOptional(),
});

/** The format of requests under a path (ADMIT-166). */
const routeType = noted(
  z.enum([
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
  ]),
  { clause: 'ADMIT-166' },
);

/**
 * What is done to LLM requests: `defaults` keep values of the request, `overrides` replace them, `transformations` win over
 * both. For backends of type ai only.
 */
export const backendAi = z.strictObject({
  prompt: aiPromptEnrichment.exactOptional(),
  promptGuard: aiPromptGuard.exactOptional(),
  defaults: noted(listOf(fieldDefault, 1, 64), { clause: 'LIMIT-016' }).exactOptional(),
  overrides: noted(listOf(fieldDefault, 1, 64), { clause: 'LIMIT-016' }).exactOptional(),
  transformations: noted(listOf(fieldTransformation, 1, 64), { clause: 'LIMIT-016' }).exactOptional(),
  modelAliases: noted(mapOf(z.string(), 0, 64), { clause: 'LIMIT-017' }).exactOptional(),
  promptCaching: promptCaching.exactOptional(),
  /** URL path suffix, or `*`, to the format spoken there. */
  routes: noted(z.record(z.string(), routeType), { default: { '*': 'Completions' } }).exactOptional(),
});

export type BackendAI = z.infer<typeof backendAi>;
export type RouteType = z.infer<typeof routeType>;
