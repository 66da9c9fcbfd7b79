import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';

/** Milliseconds a client has to end a request that was answered, for the last time, before all of it was read. */
export const LINGER = 2000;

/**
 * Lets a client that still sends read its last answer. Node closes a connection as soon as the answer that ends it is
 * written; unread bytes of the request then make the system reset the connection, and the reset may overtake the
 * answer. So only the writing half is closed, and what still comes is thrown away for a while. `latest` is the message
 * of the connection that came last.
 */
export function lingerAtClose(socket: Socket, latest: () => IncomingMessage | undefined, clock: Clock): void {
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    const message = latest();
    if (message === undefined || message.complete) destroySoon();
    else linger(socket, message, clock);
  };
}

function linger(socket: Socket, message: IncomingMessage, clock: Clock): void {
  const stop = clock.after(LINGER, () => {
    socket.destroy();
  });
  socket.once('close', stop);
  message.once('end', () => {
    socket.destroySoon();
  });
  message.resume();
  socket.end();
}
