import { z } from 'zod';
import { durationFrom } from '../../scalars.ts';

/** `requestTimeout`: deadline of one attempt for a response. */
export const backendHttp = z.strictObject({
  version: z.enum(['HTTP1', 'HTTP2']).exactOptional(),
  requestTimeout: durationFrom(1).exactOptional(),
});

export type BackendHTTP = z.infer<typeof backendHttp>;
