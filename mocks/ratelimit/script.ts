import { z } from 'zod';
import { connectionShape, failureShape } from '../grpc/failure-script.ts';
import { lanesShape } from '../lanes.ts';
import { bytesSchema, durationSchema, giveUpSchema } from '../script.ts';

/** Seconds of each unit a limit can have. */
export const UNITS = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 } as const;

const unit = z.enum(['second', 'minute', 'hour', 'day', 'week']);
const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
export type Headers = z.infer<typeof headers>;

const limit = z.strictObject({
  domain: z.string().optional().describe('only for questions of this domain; for every one when absent'),
  entries: z
    .record(z.string(), z.union([z.string(), z.literal(true)]))
    .describe('the descriptor has exactly these entries; true is any value, and every value is counted on its own'),
  hits: z.int().min(0).describe('as many as fit in one unit, which begins with the first of them'),
  unit: unit.describe('in what time: second, minute, hour, day, week'),
  name: z.string().optional().describe('what the answer calls the limit'),
});
export type Limit = z.infer<typeof limit>;

const status = z.strictObject({
  code: z.enum(['OK', 'OVER_LIMIT', 'UNKNOWN']).optional().describe('of this descriptor; OK when absent'),
  limit: z.int().min(0).optional().describe('hits that fit in one unit'),
  unit: unit.optional().describe('unit of the limit; second when absent'),
  remaining: z.int().min(0).optional().describe('hits that are left in this unit; 0 when absent'),
  reset: durationSchema.optional().describe('until the unit is over'),
});
export type Status = z.infer<typeof status>;

/** One answer. What it does not say comes from `limits`; without limits everything is allowed. */
export const replySchema = z.strictObject({
  code: z
    .enum(['OK', 'OVER_LIMIT', 'UNKNOWN'])
    .optional()
    .describe('whether the request may pass, over all descriptors'),
  statuses: z.array(status).optional().describe('one per descriptor of the question, in its order'),
  requestHeaders: headers.optional().describe('for the request on its way to the backend'),
  responseHeaders: headers.optional().describe('for the answer to the client'),
  body: bytesSchema.optional().describe('for the client that is refused'),
  gate: z.string().min(1).optional().describe('answers when this gate opens'),
  giveUp: giveUpSchema,
  ...failureShape,
});
export type Reply = z.infer<typeof replySchema>;

const match = z.strictObject({
  domain: z.string().optional().describe('domain of the question'),
  entries: z.record(z.string(), z.string()).optional().describe('some descriptor has all of these'),
});
export type Match = z.infer<typeof match>;

/** The script of a `ratelimit` peer. `on` lanes are tried in order, then `replies` or `reply`; the last one repeats. */
export const rateLimitScriptSchema = z.strictObject({
  kind: z.literal('ratelimit').describe('a rate limit server over gRPC'),
  limits: z
    .array(limit)
    .optional()
    .describe('what is counted; a descriptor takes the first with exactly its entries, and without any it may pass'),
  ...lanesShape(match, replySchema),
  ...connectionShape,
  redis: z
    .url({ protocol: /^redis$/ })
    .optional()
    .describe('count there, so that several servers count together'),
});
export type RateLimitScript = z.infer<typeof rateLimitScriptSchema>;
