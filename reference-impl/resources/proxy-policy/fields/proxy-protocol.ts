import { z } from 'zod';

export const proxyProtocol = z.strictObject({
  version: z.enum(['V1', 'V2', 'All']).exactOptional(),
  mode: z.enum(['Strict', 'Optional']).exactOptional(),
});

export type ProxyProtocol = z.infer<typeof proxyProtocol>;
