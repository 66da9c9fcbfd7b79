import { z } from 'zod';

/** Empty: its presence selects the destination named by the request. */
export const dynamicForwardProxyBackend = z.strictObject({});

export type DynamicForwardProxyBackend = z.infer<typeof dynamicForwardProxyBackend>;
