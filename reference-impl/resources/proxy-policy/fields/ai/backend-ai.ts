import { z } from 'zod';
import { described, noted } from '../../../notes.ts';
import { json, listOf, mapOf, shortString } from '../../../scalars.ts';
import { fieldTransformation } from './field-transformation.ts';
import { aiPromptGuard } from './prompt-guard.ts';

/** `role` as the provider spells it, such as SYSTEM (ADMIT-101). */
const message = noted(
  described(
    z.strictObject({ role: z.string(), content: z.string() }),
    { role: 'Role as the provider spells it, such as SYSTEM.', content: 'Text of the message.' },
    'One message.',
  ),
  { requires: 'ADMIT-101' },
);

const aiPromptEnrichment = described(
  z.strictObject({
    prepend: z.array(message).exactOptional(),
    append: z.array(message).exactOptional(),
  }),
  { prepend: 'Messages before those of the client.', append: 'Messages after those of the client.' },
);

const fieldDefault = described(
  z.strictObject({ field: shortString, value: json }),
  { field: 'Name of the field.', value: 'Any JSON value.' },
  'A field of the request body and its value.',
);

/** Cache points in prompts, for models of vendor7 that support them (CACHE-001 to CACHE-009). */
const promptCaching = described(
  z.strictObject({
    cacheSystem: noted(z.boolean(), { default: true }).exactOptional(),
    cacheMessages: noted(z.boolean(), { default: true }).exactOptional(),
    cacheTools: noted(z.boolean(), { default: false }).exactOptional(),
    minTokens: noted(z.number().int().min(0), { default: 1024 }).exactOptional(),
    cacheMessageOffset: noted(z.number().int().min(0), { default: 0 }).exactOptional(),
  }),
  {
    cacheSystem: 'A cache point after the system prompt.',
    cacheMessages: 'A cache point in the messages.',
    cacheTools: 'A cache point after the tools.',
    minTokens: 'Shortest prompt that gets cache points, in tokens.',
    cacheMessageOffset: 'How many messages from the end the cache point stands.',
  },
);

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
export const backendAi = described(
  z.strictObject({
    prompt: aiPromptEnrichment.exactOptional(),
    promptGuard: aiPromptGuard.exactOptional(),
    defaults: noted(listOf(fieldDefault, 1, 64), { clause: 'LIMIT-016' }).exactOptional(),
    overrides: noted(listOf(fieldDefault, 1, 64), { clause: 'LIMIT-016' }).exactOptional(),
    transformations: noted(listOf(fieldTransformation, 1, 64), { clause: 'LIMIT-016' }).exactOptional(),
    modelAliases: noted(mapOf(z.string(), 0, 64), { clause: 'LIMIT-017' }).exactOptional(),
    promptCaching: promptCaching.exactOptional(),
    /** URL path suffix, or `*`, to the format spoken there. */
    routes: noted(z.record(z.string(), routeType), { default: { '*': 'Completions' } }).exactOptional(),
  }),
  {
    prompt: 'Messages added to the prompt.',
    promptGuard: 'Guards of prompts and of answers.',
    defaults: 'Fields set where the request has none, 1 to 64.',
    overrides: 'Fields set whatever the request has, 1 to 64.',
    transformations: 'Fields computed by expressions, 1 to 64; they win over the others.',
    modelAliases: 'Model names to what is asked for instead, up to 64.',
    promptCaching: 'Cache points in prompts.',
    routes: 'Path suffix, or *, to the format spoken there.',
  },
);

export type BackendAI = z.infer<typeof backendAi>;
export type RouteType = z.infer<typeof routeType>;
