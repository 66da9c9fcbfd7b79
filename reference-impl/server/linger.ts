import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Inlet } from './pipelining.ts';

/** Milliseconds without a byte after which a client that was answered before all of its request was read is not listened to any more. */
export const LINGER = 2000;

/** Milliseconds it may send altogether: 30 MB over a line of ten megabits a second. */
export const LONGEST_LINGER = 30_000;

/**
 * Lets a client that still sends read its last answer. Node closes a connection as soon as the answer that ends it is
 * written; unread bytes of the request then make the system reset the connection, and the reset may overtake the
 * answer. So only the writing half is closed, and what still comes is thrown away for a while (RFC 9112, section 9.6). `latest` is the message
 * of the connection that came last.
 */
export function lingerAtClose(
  socket: Socket,
  inlet: Inlet,
  latest: () => IncomingMessage | undefined,
  clock: Clock,
): void {
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    const message = latest();
    if (message !== undefined && !message.complete) lingerInBody(socket, message, clock);
    else if (inlet.holds()) lingerBehind(socket, inlet, clock);
    else destroySoon();
  };
}

function lingerInBody(socket: Socket, message: IncomingMessage, clock: Clock): void {
  message.once('end', () => {
    socket.destroySoon();
  });
  throwRestAway(message, clock);
  socket.end();
}

/** The client has sent more behind the request whose answer is the last one. */
function lingerBehind(socket: Socket, inlet: Inlet, clock: Clock): void {
  const stop = clock.after(LINGER, () => {
    socket.destroy();
  });
  socket.once('close', stop);
  inlet.discard();
  socket.end();
}

/**
 * Throws away what still comes of a request that has its answer. Most clients send all of a body before they read a
 * word, and their next request stands behind it. One that stops sending, or does not come to an end, is cut off. docs/decisions/buffer.md
 */
export function throwRestAway(message: IncomingMessage, clock: Clock): void {
  const { socket } = message;
  const latest = clock.monotonic() + LONGEST_LINGER;
  let seen = socket.bytesRead;
  const look = (): void => {
    if (socket.bytesRead === seen || clock.monotonic() >= latest) {
      socket.destroy();
      return;
    }
    seen = socket.bytesRead;
    stop = clock.after(LINGER, look);
  };
  let stop = clock.after(LINGER, look);
  const over = (): void => {
    message.off('end', over);
    socket.off('close', over);
    stop();
  };
  message.once('end', over);
  socket.once('close', over);
  // Who waited for bytes of it would keep it from flowing.
  message.removeAllListeners('readable').resume();
}
