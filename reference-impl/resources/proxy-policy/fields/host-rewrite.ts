import { z } from 'zod';

/** `Auto`: Host from the destination; `None`: Host as the client sent it. */
export const hostRewrite = z.strictObject({ mode: z.enum(['Auto', 'None']) });

export type HostnameRewrite = z.infer<typeof hostRewrite>;
