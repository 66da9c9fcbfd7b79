import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { durationFrom } from '../../scalars.ts';

/** TCP keepalive: idle time, interval of probes and their number; times are at least 1s (FRONT-038, BTCP-004). */
export const keepalive = described(
  z.strictObject({
    retries: noted(z.number().int().min(1).max(64), { default: 9, clause: 'LIMIT-013' }).exactOptional(),
    time: noted(durationFrom(1000), { default: '180s' }).exactOptional(),
    interval: noted(durationFrom(1000), { default: '180s' }).exactOptional(),
  }),
  {
    retries: 'Unanswered probes that end it, 1 to 64.',
    time: 'Idle time before the first probe, at least 1s.',
    interval: 'Time between probes, at least 1s.',
  },
);

export type Keepalive = z.infer<typeof keepalive>;
