import { z } from 'zod';
import { noted } from '../../notes.ts';
import { listOf } from '../../scalars.ts';
import { attributeAdd } from './telemetry-attributes.ts';

/** Labels added to every metric, 1 to 16; `attributes` is required (ADMIT-082, LIMIT-029). */
export const metrics = noted(
  z.strictObject({
    attributes: z.strictObject({ add: noted(listOf(attributeAdd, 1, 16), { clause: 'LIMIT-029' }).exactOptional() }),
  }),
  { requires: 'ADMIT-082' },
);

export type Metrics = z.infer<typeof metrics>;
