import { z } from 'zod';
import { noted } from '../../notes.ts';
import { celExpression, durationFrom } from '../../scalars.ts';

const percent = noted(z.number().int().min(0).max(100), { clause: 'ADMIT-098' });

/** Either threshold evicts; without both, one unhealthy answer does. At least 1s (HEALTH-008, HEALTH-016). */
const backendEviction = z.strictObject({
  duration: noted(durationFrom(1000), { default: '3s' }).exactOptional(),
  restoreHealth: noted(percent, { defaultText: 'the health it had' }).exactOptional(),
  consecutiveFailures: noted(z.number().int().min(0), { clause: 'ADMIT-099' }).exactOptional(),
  healthThreshold: percent.exactOptional(),
});

/** Which answers count against an endpoint, and when it rests (HEALTH-002, HEALTH-003). */
export const health = z.strictObject({
  unhealthyCondition: noted(celExpression, { defaultText: 'any 5xx or failed connection' }).exactOptional(),
  eviction: backendEviction.exactOptional(),
});

export type Health = z.infer<typeof health>;
export type BackendEviction = z.infer<typeof backendEviction>;
