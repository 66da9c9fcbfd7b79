import { z } from 'zod';
import { atLeastOne, exactlyOne } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { celExpression, listOf, shortString, tinyString } from '../../scalars.ts';
import { orConditional } from './conditional.ts';
import { failureMode } from './failure-mode.ts';

/** A bucket in this instance: `burst` beyond the rate, by requests or by tokens (ADMIT-155, ADMIT-156). */
const localRateLimit = exactlyOne(
  noted(
    described(
      z.strictObject({
        requests: z.number().int().min(1).exactOptional(),
        tokens: z.number().int().min(1).exactOptional(),
        unit: noted(z.enum(['Seconds', 'Minutes', 'Hours']), { clause: 'ADMIT-156' }),
        burst: z.number().int().min(0).exactOptional(),
      }),
      {
        requests: 'Requests in each unit of time, at least 1.',
        tokens: 'Tokens in each unit of time, at least 1.',
        unit: 'Unit of time.',
        burst: 'How many more at once.',
      },
      'A bucket in this instance; counts requests or tokens.',
    ),
    { requires: 'ADMIT-156' },
  ),
  'ADMIT-155',
  'requests',
  'tokens',
);

const entry = noted(
  described(
    z.strictObject({ name: tinyString, expression: celExpression }),
    { name: 'Key of the entry.', expression: 'CEL that gives its value.' },
    'One entry of a descriptor.',
  ),
  { requires: 'ADMIT-158' },
);

/** What one request counts as (ADMIT-158, RATE-014 to RATE-016). */
const descriptor = noted(
  described(
    z.strictObject({
      entries: noted(listOf(entry, 1, 16), { clause: 'LIMIT-046' }),
      unit: noted(z.enum(['Requests', 'Tokens']), { default: 'Requests' }).exactOptional(),
      cost: noted(celExpression, { defaultText: '1 for Requests, the number of tokens for Tokens' }).exactOptional(),
    }),
    { entries: '1 to 16 entries.', unit: 'What is counted.', cost: 'CEL that gives how much one request counts.' },
    'What one request counts as.',
  ),
  { requires: 'ADMIT-158' },
);

/** Asks a rate limit server (ADMIT-157, RATE-020). */
const globalRateLimit = noted(
  described(
    z.strictObject({
      backendRef: backendObjectReference,
      failureMode: noted(failureMode, { default: 'FailClosed' }).exactOptional(),
      domain: shortString,
      descriptors: noted(listOf(descriptor, 1, 16), { clause: 'LIMIT-046' }),
    }),
    {
      backendRef: 'Service or ProxyBackend with the rate limit server.',
      failureMode: 'What happens when the server fails.',
      domain: 'Domain of the limits at the server.',
      descriptors: '1 to 16 descriptors.',
    },
  ),
  { requires: 'ADMIT-157' },
);

/** Limits of this instance and of a server; beyond them the answer is 429. */
export const rateLimits = atLeastOne(
  described(
    z.strictObject({
      local: noted(listOf(localRateLimit, 1, 16), { clause: 'LIMIT-019' }).exactOptional(),
      global: globalRateLimit.exactOptional(),
    }),
    { local: '1 to 16 limits of this instance.', global: 'Limits a server keeps.' },
  ),
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
