import { z } from 'zod';
import { httpHeaderName } from '../scalars.ts';

const httpHeader = z.strictObject({ name: httpHeaderName, value: z.string().min(1).max(4096) });

/** Header edits with literal values: `add`, then `set`, then `remove`. */
export const httpHeaderFilter = z.strictObject({
  set: z.array(httpHeader).max(16).exactOptional(),
  add: z.array(httpHeader).max(16).exactOptional(),
  remove: z.array(z.string()).max(16).exactOptional(),
});

export type HTTPHeaderFilter = z.infer<typeof httpHeaderFilter>;
