import { z } from 'zod';
import { noted } from '../../notes.ts';

/** `Auto`: Host from the destination; `None`: Host as the client sent it. */
export const hostRewrite = noted(z.strictObject({ mode: noted(z.enum(['Auto', 'None']), { clause: 'ADMIT-100' }) }), {
  requires: 'ADMIT-100',
  defaultText: 'Auto for backends with a host name, None for Services and IP addresses',
});

export type HostnameRewrite = z.infer<typeof hostRewrite>;
