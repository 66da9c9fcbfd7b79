import type { IncomingHttpHeaders } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';

/** Why a head is not that of an answer of gRPC, or says that the call failed; undefined where messages may follow. */
export function failureOfHead(head: IncomingHttpHeaders): ConnectError | undefined {
  const status = Number(head[':status']);
  if (status !== 200) return new ConnectError(`HTTP ${status}`, CODES_OF_HTTP[status] ?? Code.Unknown);
  const type = head['content-type'];
  if (type?.startsWith('application/grpc') !== true) {
    return new ConnectError(`unsupported content type ${type ?? 'none'}`, Code.Unknown);
  }
  return failureIn(head);
}

/** The status of a call, in its trailers or, of one that failed at once, in its head; undefined when all is well. */
export function failureOfEnd(
  head: IncomingHttpHeaders | undefined,
  trailers: IncomingHttpHeaders,
): ConnectError | undefined {
  const said = trailers['grpc-status'] === undefined ? head : trailers;
  return said?.['grpc-status'] === undefined ? new ConnectError('no grpc-status', Code.Internal) : failureIn(said);
}

function failureIn({ 'grpc-status': status, 'grpc-message': message }: IncomingHttpHeaders): ConnectError | undefined {
  if (status === undefined || status === '0') return undefined;
  const code = Number(status);
  const text = typeof message === 'string' ? decoded(message) : '';
  return code in Code ? new ConnectError(text, code) : new ConnectError(`grpc-status ${String(status)}`, Code.Internal);
}

/** The text is percent-encoded; one that is not is shown as it came. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}

/** As gRPC maps an answer of something that does not speak it. */
const CODES_OF_HTTP: Readonly<Record<number, Code>> = {
  400: Code.Internal,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.Unimplemented,
  429: Code.Unavailable,
  502: Code.Unavailable,
  503: Code.Unavailable,
  504: Code.Unavailable,
};
