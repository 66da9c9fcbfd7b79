import { z } from 'zod';
import { described } from '../notes.ts';
import { httpHeaderName } from '../scalars.ts';

const httpHeader = described(
  z.strictObject({ name: httpHeaderName, value: z.string().min(1).max(4096) }),
  { name: 'Name, in any case.', value: 'Literal value, 1 to 4096 characters.' },
  'One header.',
);

/** Header edits with literal values: `add`, then `set`, then `remove`. */
export const httpHeaderFilter = described(
  z.strictObject({
    set: z.array(httpHeader).max(16).exactOptional(),
    add: z.array(httpHeader).max(16).exactOptional(),
    remove: z.array(z.string()).max(16).exactOptional(),
  }),
  {
    set: 'Headers that replace those of the same name, up to 16.',
    add: 'Headers put beside those of the same name, up to 16.',
    remove: 'Names of headers to take away, up to 16.',
  },
  'Edits of headers with literal values.',
);

export type HTTPHeaderFilter = z.infer<typeof httpHeaderFilter>;
