import { z } from 'zod';
import { durationFrom } from '../../scalars.ts';
import { keepalive } from './keepalive.ts';

/** `connectTimeout`: at least 100ms. */
export const backendTcp = z.strictObject({
  keepalive: keepalive.exactOptional(),
  connectTimeout: durationFrom(100).exactOptional(),
});

export type BackendTCP = z.infer<typeof backendTcp>;
