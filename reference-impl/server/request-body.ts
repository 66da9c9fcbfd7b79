import type { IncomingMessage } from 'node:http';
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

/**
 * The body of a request, taken from the socket only as fast as it is read. `length` is what the client declared. Reading fails with
 * bodyReadFailed when the client breaks off, with requestBodyTimeout when it stops.
 */
export function requestBody(
  message: IncomingMessage,
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
      const chunk = takeBuffered(message);
      if (chunk !== undefined) return chunk;
      if (message.readableEnded) return undefined;
      if (message.destroyed) throw new ProxyError('bodyReadFailed', 'the client broke off');
      await change(message, clock, patience);
    }
  };
  return {
    read,
    // What is left is read away: the next request of the connection stands behind it.
    cancel: () => {
      cancelled = true;
      message.removeAllListeners('readable').resume();
    },
    length,
    trailers: () => HeaderMap.fromRaw(message.rawTrailers),
    takeAll: () => {
      if (!message.complete || before !== undefined || message.destroyed) return undefined;
      return takeBuffered(message);
    },
  };
}

/** Everything that has arrived and was not read yet. */
function takeBuffered(message: IncomingMessage): Uint8Array | undefined {
  const chunk: unknown = message.read();
  return chunk instanceof Uint8Array ? chunk : undefined;
}

/** Resolves when reading again may give something else than before. */
function change(message: IncomingMessage, clock: Clock, patience: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      stop();
      for (const event of CHANGES) message.off(event, settle);
    };
    const settle = (): void => {
      leave();
      resolve();
    };
    const stop = clock.after(patience, () => {
      leave();
      reject(new ProxyError('requestBodyTimeout', `nothing came for ${patience} ms`));
    });
    for (const event of CHANGES) message.on(event, settle);
  });
}

const CHANGES = ['readable', 'end', 'error', 'close'] as const;
