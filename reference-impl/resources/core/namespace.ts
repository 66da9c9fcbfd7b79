import { z } from 'zod';
import { envelope } from '../envelope.ts';

/** Read for its labels only. */
export const namespace = z.strictObject({
  ...envelope('v1', 'Namespace'),
  spec: z.looseObject({}).exactOptional(),
  status: z.looseObject({}).exactOptional(),
});

export type Namespace = z.infer<typeof namespace>;
