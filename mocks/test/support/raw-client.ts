import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Mock } from '../../mock.ts';

/** How the conversation ended for the client. */
export interface Talk {
  readonly text: string;
  readonly bytes: Buffer;
  readonly ended: 'fin' | 'reset' | 'refused';
}

/** A client of bare bytes, so that a test sees what a well-meaning HTTP client would hide. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything received so far. */
  readonly textSoFar: () => string;
  readonly until: (condition: (seen: string) => boolean) => Promise<string>;
  readonly ended: Promise<Talk>;
}

export function openRaw(mock: Mock): RawClient {
  const socket = mock.socketPath === undefined ? connect(mock.port, mock.host) : connect(mock.socketPath);
  const chunks: Buffer[] = [];
  const waiting = new Set<() => void>();
  let failure: string | undefined;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    for (const check of waiting) check();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code;
  });
  const textSoFar = (): string => Buffer.concat(chunks).toString('latin1');
  const ended = new Promise<Talk>((resolve) => {
    socket.once('close', () => resolve({ text: textSoFar(), bytes: Buffer.concat(chunks), ended: endOf(failure) }));
  });
  const until = (condition: (text: string) => boolean): Promise<string> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!condition(textSoFar())) return;
        waiting.delete(check);
        resolve(textSoFar());
      };
      waiting.add(check);
      check();
    });
  return { socket, textSoFar, until, ended };
}

/** Sends the bytes and waits for the other side to end the connection. */
export function talk(mock: Mock, bytes: string | Buffer): Promise<Talk> {
  const client = openRaw(mock);
  client.socket.write(bytes);
  return client.ended;
}

function endOf(failure: string | undefined): Talk['ended'] {
  if (failure === 'ECONNREFUSED') return 'refused';
  return failure === undefined ? 'fin' : 'reset';
}
