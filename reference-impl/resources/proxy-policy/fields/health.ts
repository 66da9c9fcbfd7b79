import { z } from 'zod';
import { celExpression, durationFrom } from '../../scalars.ts';

const percent = z.number().int().min(0).max(100);

const backendEviction = z.strictObject({
  duration: durationFrom(1000).exactOptional(),
  restoreHealth: percent.exactOptional(),
  consecutiveFailures: z.number().int().min(0).exactOptional(),
  healthThreshold: percent.exactOptional(),
});

export const health = z.strictObject({
  unhealthyCondition: celExpression.exactOptional(),
  eviction: backendEviction.exactOptional(),
});

export type Health = z.infer<typeof health>;
export type BackendEviction = z.infer<typeof backendEviction>;
