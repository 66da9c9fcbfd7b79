import { z } from 'zod';
import { described } from '../../notes.ts';
import { durationFrom } from '../../scalars.ts';
import { keepalive } from './keepalive.ts';

/** `connectTimeout`: at least 100ms. */
export const backendTcp = described(
  z.strictObject({
    keepalive: keepalive.exactOptional(),
    connectTimeout: durationFrom(100).exactOptional(),
  }),
  { keepalive: 'Probes of idle connections.', connectTimeout: 'Deadline for a connection, at least 100ms.' },
);

export type BackendTCP = z.infer<typeof backendTcp>;
