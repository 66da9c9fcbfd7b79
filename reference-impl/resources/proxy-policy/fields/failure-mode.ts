import { z } from 'zod';

/** Default everywhere: FailClosed. */
export const failureMode = z.enum(['FailClosed', 'FailOpen']);

export type FailureMode = z.infer<typeof failureMode>;
