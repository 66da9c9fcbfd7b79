import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Body } from '../base/body.ts';
import type { Clock } from '../base/clock.ts';
import { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';

/** How a body is read. */
export interface Reading {
  readonly clock: Clock;
  /** Milliseconds a client may be silent while somebody waits for its bytes. docs/decisions/connection-limits.md */
  readonly patience: number;
  /** Runs before the first byte is wanted. */
  readonly beforeFirst?: (() => void) | undefined;
}

/** A message that comes in, of whichever version of HTTP. */
export interface Incoming {
  readonly stream: Readable;
  /** All of it has come, whoever has read it. */
  readonly isComplete: () => boolean;
  /** No more of it will come, although its end was not seen. */
  readonly isBrokenOff: () => boolean;
  /** Name, value, name, value, … */
  readonly rawTrailers: () => readonly string[];
}

/** A message of HTTP/1. */
export function incoming(message: IncomingMessage): Incoming {
  return {
    stream: message,
    isComplete: () => message.complete,
    isBrokenOff: () => message.destroyed && !message.readableEnded,
    rawTrailers: () => message.rawTrailers,
  };
}

/**
 * The body of a request, taken from the socket only as fast as it is read. `length` is what the client declared. Reading fails with
 * bodyReadFailed when the client breaks off, with requestBodyTimeout when it stops.
 */
export function requestBody(
  { stream, isComplete, isBrokenOff, rawTrailers }: Incoming,
  length: number | undefined,
  { clock, patience, beforeFirst }: Reading,
): Body {
  let before = beforeFirst;
  let cancelled = false;

  const read = async (): Promise<Uint8Array | undefined> => {
    before?.();
    before = undefined;
    for (;;) {
      if (cancelled) return undefined;
      const chunk = takeBuffered(stream);
      if (chunk !== undefined) return chunk;
      if (isBrokenOff()) throw new ProxyError('bodyReadFailed', 'the client broke off');
      // What is complete and empty is over, and nobody need wait for the stream to say so.
      if (stream.readableEnded || (isComplete() && stream.readableLength === 0)) return undefined;
      await change(stream, clock, patience);
    }
  };
  return {
    read,
    // What is left is read away: the next request of the connection stands behind it.
    cancel: () => {
      cancelled = true;
      stream.removeAllListeners('readable').resume();
    },
    length,
    trailers: () => HeaderMap.fromRaw(rawTrailers()),
    takeAll: () => {
      if (!isComplete() || before !== undefined || stream.destroyed) return undefined;
      return takeBuffered(stream);
    },
  };
}

/** Everything that has arrived and was not read yet. */
function takeBuffered(stream: Readable): Uint8Array | undefined {
  const chunk: unknown = stream.read();
  return chunk instanceof Uint8Array ? chunk : undefined;
}

/** Resolves when reading again may give something else than before. */
function change(stream: Readable, clock: Clock, patience: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      stop();
      for (const event of CHANGES) stream.off(event, settle);
    };
    const settle = (): void => {
      leave();
      resolve();
    };
    const stop = clock.after(patience, () => {
      leave();
      reject(new ProxyError('requestBodyTimeout', `nothing came for ${patience} ms`));
    });
    for (const event of CHANGES) stream.on(event, settle);
  });
}

const CHANGES = ['readable', 'end', 'error', 'close'] as const;
