import { z } from 'zod';
import { described, noted } from '../../notes.ts';

/** `Auto`: Host from the destination; `None`: Host as the client sent it. */
export const hostRewrite = noted(
  described(z.strictObject({ mode: noted(z.enum(['Auto', 'None']), { clause: 'ADMIT-100' }) }), {
    mode: 'Auto: Host of the destination; None: Host as the client sent it.',
  }),
  {
    requires: 'ADMIT-100',
    defaultText: 'Auto for backends with a host name, None for Services and IP addresses',
  },
);

export type HostnameRewrite = z.infer<typeof hostRewrite>;
