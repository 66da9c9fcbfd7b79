import { z } from 'zod';
import { atLeastOne, exactlyOne } from '../../groups.ts';
import { backendObjectReference } from '../../references.ts';
import { celExpression, listOf, shortString, tinyString } from '../../scalars.ts';
import { orConditional } from './conditional.ts';
import { failureMode } from './failure-mode.ts';

const localRateLimit = exactlyOne(
  z.strictObject({
    requests: z.number().int().min(1).exactOptional(),
    tokens: z.number().int().min(1).exactOptional(),
    unit: z.enum(['Seconds', 'Minutes', 'Hours']),
    burst: z.number().int().min(0).exactOptional(),
  }),
  'ADMIT-155',
  'requests',
  'tokens',
);

const descriptor = z.strictObject({
  entries: listOf(z.strictObject({ name: tinyString, expression: celExpression }), 1, 16),
  unit: z.enum(['Requests', 'Tokens']).exactOptional(),
  cost: celExpression.exactOptional(),
});

const globalRateLimit = z.strictObject({
  backendRef: backendObjectReference,
  failureMode: failureMode.exactOptional(),
  domain: shortString,
  descriptors: listOf(descriptor, 1, 16),
});

export const rateLimits = atLeastOne(
  z.strictObject({ local: listOf(localRateLimit, 1, 16).exactOptional(), global: globalRateLimit.exactOptional() }),
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
