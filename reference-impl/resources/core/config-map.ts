import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';
import { stringMap } from '../scalars.ts';

export const configMap = described(
  z.strictObject({
    ...envelope('v1', 'ConfigMap'),
    immutable: z.boolean().exactOptional(),
    data: stringMap.exactOptional(),
    binaryData: stringMap.exactOptional(),
  }),
  { immutable: 'Whether the data can no longer change.', data: 'Texts by key.', binaryData: 'Base64 of bytes by key.' },
  'Plain data, read by references.',
);

export type ConfigMap = z.infer<typeof configMap>;
