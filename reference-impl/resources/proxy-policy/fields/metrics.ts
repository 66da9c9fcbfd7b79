import { z } from 'zod';
import { listOf } from '../../scalars.ts';
import { attributeAdd } from './telemetry-attributes.ts';

export const metrics = z.strictObject({
  attributes: z.strictObject({ add: listOf(attributeAdd, 1, 16).exactOptional() }),
});

export type Metrics = z.infer<typeof metrics>;
