import { z } from 'zod';
import { celExpression, duration } from '../../scalars.ts';

export const retry = z.strictObject({
  codes: z.array(z.number().int().min(400).max(599)).exactOptional(),
  attempts: z.number().int().min(0).exactOptional(),
  backoff: duration.exactOptional(),
  precondition: celExpression.exactOptional(),
  condition: celExpression.exactOptional(),
});

export type Retry = z.infer<typeof retry>;
