import { z } from 'zod';
import { durationFrom } from '../../scalars.ts';

/** `request`: from the start of sending to the backend until the full response is received (TRAFFIC-004). */
export const timeouts = z.strictObject({ request: durationFrom(1).exactOptional() });

export type Timeouts = z.infer<typeof timeouts>;
