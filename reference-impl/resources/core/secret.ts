import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';
import { stringMap } from '../scalars.ts';

const base64Map = z.record(z.string(), z.base64('must be base64'));

/** `stringData` wins over `data` for the same key, as in the orchestrator. */
export const secret = described(
  z.strictObject({
    ...envelope('v1', 'Secret'),
    type: z.string().exactOptional(),
    immutable: z.boolean().exactOptional(),
    data: base64Map.exactOptional(),
    stringData: stringMap.exactOptional(),
  }),
  {
    type: 'What the Secret is for.',
    immutable: 'Whether the data can no longer change.',
    data: 'Base64 of bytes by key.',
    stringData: 'Texts by key; they win over data.',
  },
  'Confidential data, read by references.',
);

export type Secret = z.infer<typeof secret>;
