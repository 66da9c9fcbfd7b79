import type { ServerHttp2Stream } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { z } from 'zod';
import { tlsSchema } from '../tls/script.ts';
import type { GrpcCall } from './serve.ts';

/** Names of the statuses a call can fail with, in the order of their numbers, from 1. */
const STATUSES = [
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
export type Failure = z.infer<typeof failure>;

/** Members of the script of every peer that speaks gRPC: how all its connections are. */
export const connectionShape = {
  fault: z
    .enum(['refuse', 'reset', 'hang', 'garbage'])
    .optional()
    .describe('for every connection; a reply has its own'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
};

/** Commits the failure of a reply, if it has one. `forbidden` is told why the call should not have come. */
export async function fail(reply: Failure, call: GrpcCall, forbidden: (reason: string) => void): Promise<void> {
  if (reply.fail !== undefined) {
    forbidden(reply.fail);
    throw new ConnectError(reply.fail, Code.FailedPrecondition);
  }
  if (reply.error !== undefined) {
    throw new ConnectError(reply.message ?? reply.error.toLowerCase(), 1 + STATUSES.indexOf(reply.error));
  }
  if (reply.fault === undefined) return;
  const over = call.over();
  FAULTS[reply.fault](call);
  await over;
  throw new ConnectError('the stream is over', Code.Aborted);
}

/** A message of three bytes which claim to begin a field of 127 bytes. */
const UNREADABLE = Buffer.from([0, 0, 0, 0, 3, 0x0a, 0x7f, 0xff]);

/** Every fault ends the stream; `hang` leaves that to the client. */
const FAULTS: Readonly<Record<NonNullable<Failure['fault']>, (call: GrpcCall) => void>> = {
  hang: () => {},
  reset: ({ reset }) => reset(),
  'reset-stream': ({ resetStream }) => resetStream(),
  garbage: ({ stream }) => endWith(stream, 200, 'application/grpc+proto', UNREADABLE),
  'no-grpc': ({ stream }) => endWith(stream, 404, 'text/html', Buffer.from('<p>nothing here</p>')),
};

function endWith(stream: ServerHttp2Stream, status: number, type: string, body: Buffer): void {
  if (!stream.headersSent) stream.respond({ ':status': status, 'content-type': type });
  stream.end(body);
}
