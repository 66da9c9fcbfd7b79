import { z } from 'zod';
import { described } from '../../notes.ts';
import { durationFrom } from '../../scalars.ts';

/** `request`: from the start of sending to the backend until the full response is received (TRAFFIC-004). */
export const timeouts = described(z.strictObject({ request: durationFrom(1).exactOptional() }), {
  request: 'From the start of sending to the backend until the whole answer is there, at least 1ms.',
});

export type Timeouts = z.infer<typeof timeouts>;
