import { z } from 'zod';
import { celExpression, duration } from '../../scalars.ts';

/**
 * Tries again when the status is one of `codes` or `condition` is true, unless `precondition` is false. `backoff` is the time
 * between tries.
 */
export const retry = z.strictObject({
  codes: z.array(z.number().int().min(400).max(599)).exactOptional(),
  attempts: z.number().int().min(0).exactOptional(),
  backoff: duration.exactOptional(),
  precondition: celExpression.exactOptional(),
  condition: celExpression.exactOptional(),
});

export type Retry = z.infer<typeof retry>;
