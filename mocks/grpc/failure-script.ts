import { z } from 'zod';
import { tlsSchema } from '../tls/script.ts';

/** Names of the statuses a call can fail with, in the order of their numbers, from 1. */
export const STATUSES = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

/** How one call can end instead of with an answer; members of a reply in a script. Of several, fail goes before error before fault. */
export const failureShape = {
  error: z.enum(STATUSES).optional().describe('the call fails with this status'),
  message: z.string().optional().describe('of the error'),
  fault: z
    .enum(['reset', 'reset-stream', 'hang', 'garbage', 'no-grpc'])
    .optional()
    .describe('the connection or the stream breaks, nothing comes, or what comes is no message, or no gRPC'),
  fail: z.string().min(1).optional().describe('no such call may arrive; the reason is reported as a failed check'),
};
const failure = z.strictObject(failureShape);
/** How one call ends instead of with an answer. */
export type Failure = z.infer<typeof failure>;

/** Members of the script of every peer that speaks gRPC: how all its connections are. */
export const connectionShape = {
  fault: z
    .enum(['refuse', 'reset', 'hang', 'garbage'])
    .optional()
    .describe('for every connection; a reply has its own'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
};
