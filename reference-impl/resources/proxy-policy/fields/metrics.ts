import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { listOf } from '../../scalars.ts';
import { attributeAdd } from './telemetry-attributes.ts';

/** Labels added to every metric, 1 to 16; `attributes` is required (ADMIT-082, LIMIT-029). */
export const metrics = noted(
  described(
    z.strictObject({
      attributes: described(
        z.strictObject({ add: noted(listOf(attributeAdd, 1, 16), { clause: 'LIMIT-029' }).exactOptional() }),
        { add: '1 to 16 labels by expression.' },
      ),
    }),
    { attributes: 'Labels of metrics.' },
  ),
  { requires: 'ADMIT-082' },
);

export type Metrics = z.infer<typeof metrics>;
