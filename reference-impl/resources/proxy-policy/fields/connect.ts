import { z } from 'zod';

export const connect = z.strictObject({ mode: z.enum(['Deny', 'Route', 'Tunnel']) });

export type Connect = z.infer<typeof connect>;
