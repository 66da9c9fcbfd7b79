import { z } from 'zod';

/** FailClosed denies when the helper fails, FailOpen goes on without it. FailClosed wherever nothing is said. */
export const failureMode = z.enum(['FailClosed', 'FailOpen']);

export type FailureMode = z.infer<typeof failureMode>;
