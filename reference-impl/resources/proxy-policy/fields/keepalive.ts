import { z } from 'zod';
import { durationFrom } from '../../scalars.ts';

export const keepalive = z.strictObject({
  retries: z.number().int().min(1).max(64).exactOptional(),
  time: durationFrom(1000).exactOptional(),
  interval: durationFrom(1000).exactOptional(),
});

export type Keepalive = z.infer<typeof keepalive>;
