import type { IncomingMessage } from 'node:http';
import type { Body } from '../base/body.ts';
import { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';

/**
 * The body of a request, taken from the socket only as fast as it is read. `length` is what the client declared.
 * `beforeFirst` runs before the first byte is wanted.
 */
export function requestBody(message: IncomingMessage, length: number | undefined, beforeFirst?: () => void): Body {
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
      await change(message);
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
function change(message: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      for (const event of CHANGES) message.off(event, settle);
      resolve();
    };
    for (const event of CHANGES) message.on(event, settle);
  });
}

const CHANGES = ['readable', 'end', 'error', 'close'] as const;
