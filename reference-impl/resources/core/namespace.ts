import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';

/** Read for its labels only. */
export const namespace = described(
  z.strictObject({
    ...envelope('v1', 'Namespace'),
    spec: z.looseObject({}).exactOptional(),
    status: z.looseObject({}).exactOptional(),
  }),
  { spec: 'Kept, not read.', status: 'Kept, not read.' },
  'A namespace, read for its labels.',
);

export type Namespace = z.infer<typeof namespace>;
