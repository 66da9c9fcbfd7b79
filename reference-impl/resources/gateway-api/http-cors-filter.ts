import { z } from 'zod';

/** `*` stands for any value in each list. `maxAge` in seconds. */
export const httpCorsFilter = z.strictObject({
  allowOrigins: z.array(z.string().min(1).max(253)).max(64).exactOptional(),
  allowCredentials: z.boolean().exactOptional(),
  allowMethods: z.array(z.string().min(1)).max(9).exactOptional(),
  allowHeaders: z.array(z.string().min(1).max(256)).max(64).exactOptional(),
  exposeHeaders: z.array(z.string().min(1).max(256)).max(64).exactOptional(),
  maxAge: z.number().int().min(1).exactOptional(),
});

export type HTTPCORSFilter = z.infer<typeof httpCorsFilter>;
