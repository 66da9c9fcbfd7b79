import type { Duplex } from 'node:stream';
import { connectionOf } from './http1-connection.ts';

/** What the parser of Node found. */
export interface BadBytes extends NodeJS.ErrnoException {
  readonly reason?: string;
}

/** Bytes that are no request, or one that is too large or too slow: a plain refusal, and the connection ends. False where it ended by itself. */
export function refuseBytes(error: BadBytes, socket: Duplex): boolean {
  const { inlet, latest: response } = connectionOf(socket);
  inlet?.discard();
  const answering = response !== undefined && response.headersSent && !response.writableFinished;
  if (!socket.writable || answering || error.code === 'ECONNRESET') {
    socket.destroy();
    return answering;
  }
  refuseWith(error.code, socket);
  return true;
}

/** The words of the parser are a handful; whatever else it says may hold bytes of the client. */
export function reasonOf({ code, reason }: BadBytes): string {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : (reason ?? code ?? 'no request');
}

export const TOO_SLOW = 'the head of a request did not come in time';

/** The status for what the parser, or a clock, says of it; the connection ends behind it. */
export function refuseWith(code: string | undefined, socket: Duplex): void {
  const status = REFUSED_BYTES[code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => {
    socket.destroy();
  });
}

const REFUSED_BYTES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
