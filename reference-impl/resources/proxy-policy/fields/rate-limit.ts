import { z } from 'zod';
import { atLeastOne, exactlyOne } from '../../groups.ts';
import { noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { celExpression, listOf, shortString, tinyString } from '../../scalars.ts';
import { orConditional } from './conditional.ts';
import { failureMode } from './failure-mode.ts';

/** A bucket in this instance: `burst` beyond the rate, by requests or by tokens (ADMIT-155, ADMIT-156). */
const localRateLimit = exactlyOne(
  noted(
    z.strictObject({
      requests: z.number().int().min(1).exactOptional(),
      tokens: z.number().int().min(1).exactOptional(),
      unit: noted(z.enum(['Seconds', 'Minutes', 'Hours']), { clause: 'ADMIT-156' }),
      burst: z.number().int().min(0).exactOptional(),
    }),
    { requires: 'ADMIT-156' },
  ),
  'ADMIT-155',
  'requests',
  'tokens',
);

const entry = noted(z.strictObject({ name: tinyString, expression: celExpression }), { requires: 'ADMIT-158' });

/** What one request counts as (ADMIT-158, RATE-014 to RATE-016). */
const descriptor = noted(
  z.strictObject({
    entries: noted(listOf(entry, 1, 16), { clause: 'LIMIT-046' }),
    unit: noted(z.enum(['Requests', 'Tokens']), { default: 'Requests' }).exactOptional(),
    cost: noted(celExpression, { defaultText: '1 for Requests, the number of tokens for Tokens' }).exactOptional(),
  }),
  { requires: 'ADMIT-158' },
);

/** Asks a rate limit server (ADMIT-157, RATE-020). */
const globalRateLimit = noted(
  z.strictObject({
    backendRef: backendObjectReference,
    failureMode: noted(failureMode, { default: 'FailClosed' }).exactOptional(),
    domain: shortString,
    descriptors: noted(listOf(descriptor, 1, 16), { clause: 'LIMIT-046' }),
  }),
  { requires: 'ADMIT-157' },
);

/** Limits of this instance and of a server; beyond them the answer is 429. */
export const rateLimits = atLeastOne(
  z.strictObject({
    local: noted(listOf(localRateLimit, 1, 16), { clause: 'LIMIT-019' }).exactOptional(),
    global: globalRateLimit.exactOptional(),
  }),
  'VERSION-008',
  'local',
  'global',
);

export const rateLimitsOrConditional = orConditional(rateLimits);

export type LocalRateLimit = z.infer<typeof localRateLimit>;
export type GlobalRateLimit = z.infer<typeof globalRateLimit>;
export type RateLimitDescriptor = z.infer<typeof descriptor>;
export type RateLimits = z.infer<typeof rateLimits>;
export type RateLimitsOrConditional = z.infer<typeof rateLimitsOrConditional>;
