import { z } from 'zod';
import { described } from '../../notes.ts';
import { celExpression, duration } from '../../scalars.ts';

/**
 * Tries again when the status is one of `codes` or `condition` is true, unless `precondition` is false. `backoff` is the time
 * between tries.
 */
export const retry = described(
  z.strictObject({
    codes: z.array(z.number().int().min(400).max(599)).exactOptional(),
    attempts: z.number().int().min(0).exactOptional(),
    backoff: duration.exactOptional(),
    precondition: celExpression.exactOptional(),
    condition: celExpression.exactOptional(),
  }),
  {
    codes: 'Statuses that are tried again, 400 to 599.',
    attempts: 'How often it is tried again.',
    backoff: 'Time between tries.',
    precondition: 'Condition on the request; false excludes every retry.',
    condition: 'Condition on the answer; true tries again.',
  },
);

export type Retry = z.infer<typeof retry>;
