import type { ServerHttp2Stream } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { STATUSES, type Failure } from './failure-script.ts';
import type { GrpcCall } from './serve.ts';

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
