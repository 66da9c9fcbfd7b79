import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';

/** What the first bytes of a connection say. */
export interface Found<Value> {
  readonly value: Value;
  /** How many of the bytes said it and are used up; the rest is read again by whoever comes next. */
  readonly taken: number;
}

/** Why nothing was found: the connection is over, or `patience` is. */
export type Missing = 'ended' | 'timeout';

export interface Wait {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly patience: number;
}

/**
 * Reads a connection until `find` has found something in all that came so far, and no further. `find` gives undefined as long as it
 * needs more. What is left of the bytes stays in the connection, which is paused then.
 */
export function readFirstBytes<Value>(
  socket: Socket,
  find: (bytes: Buffer) => Found<Value> | undefined,
  { clock, patience }: Wait,
): Promise<Found<Value> | Missing> {
  return new Promise((resolve) => {
    let bytes: Buffer | undefined;
    const settle = (result: Found<Value> | Missing): void => {
      stop();
      socket.off('data', look).off('end', over).off('close', over);
      socket.pause();
      resolve(result);
    };
    const look = (chunk: Buffer): void => {
      bytes = bytes === undefined ? chunk : Buffer.concat([bytes, chunk]);
      const found = find(bytes);
      if (found === undefined) return;
      settle(found);
      if (found.taken < bytes.length) socket.unshift(bytes.subarray(found.taken));
    };
    const over = (): void => {
      settle('ended');
    };
    const stop = clock.after(patience, () => {
      settle('timeout');
      if (bytes !== undefined) socket.unshift(bytes);
    });
    if (socket.destroyed || socket.readableEnded) over();
    else socket.on('data', look).once('end', over).once('close', over).resume();
  });
}
