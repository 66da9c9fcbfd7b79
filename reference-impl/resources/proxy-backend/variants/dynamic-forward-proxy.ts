import { z } from 'zod';
import { noted } from '../../notes.ts';

/** Empty: its presence selects the destination named by the request. */
export const dynamicForwardProxyBackend = noted(z.strictObject({}), {
  text: 'The destination the request names. It can reach any host: put access control before it.',
});

export type DynamicForwardProxyBackend = z.infer<typeof dynamicForwardProxyBackend>;
