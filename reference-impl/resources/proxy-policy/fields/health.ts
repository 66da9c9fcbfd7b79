import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { celExpression, durationFrom } from '../../scalars.ts';

const percent = noted(z.number().int().min(0).max(100), { clause: 'ADMIT-098' });

/** Either threshold evicts; without both, one unhealthy answer does. At least 1s (HEALTH-008, HEALTH-016). */
const backendEviction = described(
  z.strictObject({
    duration: noted(durationFrom(1000), { default: '3s' }).exactOptional(),
    restoreHealth: noted(percent, { defaultText: 'the health it had' }).exactOptional(),
    consecutiveFailures: noted(z.number().int().min(0), { clause: 'ADMIT-099' }).exactOptional(),
    healthThreshold: percent.exactOptional(),
  }),
  {
    duration: 'Rest after the first eviction, at least 1s; longer each time.',
    restoreHealth: 'Health after the rest, 0 to 100 percent.',
    consecutiveFailures: 'Failures in a row that evict; 0 or more.',
    healthThreshold: 'Health below which it is evicted, 0 to 100 percent.',
  },
);

/** Which answers count against an endpoint, and when it rests (HEALTH-002, HEALTH-003). */
export const health = described(
  z.strictObject({
    unhealthyCondition: noted(celExpression, { defaultText: 'any 5xx or failed connection' }).exactOptional(),
    eviction: backendEviction.exactOptional(),
  }),
  { unhealthyCondition: 'Which answers count against an endpoint.', eviction: 'When an endpoint rests.' },
);

export type Health = z.infer<typeof health>;
export type BackendEviction = z.infer<typeof backendEviction>;
