import { z } from 'zod';
import { described } from '../notes.ts';

/** `*` stands for any value in each list. `maxAge` in seconds. */
export const httpCorsFilter = described(
  z.strictObject({
    allowOrigins: z.array(z.string().min(1).max(253)).max(64).exactOptional(),
    allowCredentials: z.boolean().exactOptional(),
    allowMethods: z.array(z.string().min(1)).max(9).exactOptional(),
    allowHeaders: z.array(z.string().min(1).max(256)).max(64).exactOptional(),
    exposeHeaders: z.array(z.string().min(1).max(256)).max(64).exactOptional(),
    maxAge: z.number().int().min(1).exactOptional(),
  }),
  {
    allowOrigins: 'Origins that may ask; * for any.',
    allowCredentials: 'Whether credentials may be sent.',
    allowMethods: 'Methods that may be used; * for any.',
    allowHeaders: 'Request headers that may be sent; * for any.',
    exposeHeaders: 'Response headers a script may read.',
    maxAge: 'How long a preflight answer holds, in seconds.',
  },
  'Answers for scripts of other origins.',
);

export type HTTPCORSFilter = z.infer<typeof httpCorsFilter>;
