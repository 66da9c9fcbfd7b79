import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { stringMap } from '../scalars.ts';

export const configMap = z.strictObject({
  ...envelope('v1', 'ConfigMap'),
  immutable: z.boolean().exactOptional(),
  data: stringMap.exactOptional(),
  binaryData: stringMap.exactOptional(),
});

export type ConfigMap = z.infer<typeof configMap>;
