import type { Body } from '../../../base/body.ts';
import { HeaderMap } from '../../../base/headers.ts';

/** A body that is read by somebody who may have to give it back whole. */
export interface Lent {
  readonly read: () => Promise<Uint8Array | undefined>;
  /** What was read last is gone for good. */
  readonly given: () => void;
  /** The body from the first byte that is not gone. Nobody else may read any more. */
  readonly back: Body;
}

export function lend(body: Body): Lent {
  let last: Promise<Uint8Array | undefined> | undefined;
  const { cancel, length, trailers } = body;
  return {
    read: () => (last = body.read()),
    given: () => {
      last = undefined;
    },
    back: {
      read: () => {
        const first = last ?? body.read();
        last = undefined;
        return first;
      },
      cancel,
      length,
      ...(trailers === undefined ? {} : { trailers }),
    },
  };
}

/** `first` in the place of the first `skipped` bytes of a body. */
export function replacedStart(first: Uint8Array, skipped: number, body: Body): Body {
  let start: Uint8Array | undefined = first;
  let toSkip = skipped;
  const read = async (): Promise<Uint8Array | undefined> => {
    if (start !== undefined && start.byteLength > 0) {
      const chunk = start;
      start = undefined;
      return chunk;
    }
    for (;;) {
      const chunk = await body.read();
      if (chunk === undefined || chunk.byteLength > toSkip) {
        const rest = chunk?.subarray(toSkip);
        toSkip = 0;
        return rest;
      }
      toSkip -= chunk.byteLength;
    }
  };
  const { length, cancel, trailers } = body;
  return {
    read,
    cancel,
    length: length === undefined ? undefined : length - skipped + first.byteLength,
    ...(trailers === undefined ? {} : { trailers }),
  };
}

/** A body whose trailers are replaced when its end is reached; the end waits for them. `givenUp`: there will be no end. */
export function replacedTrailers(
  body: Body,
  replace: (trailers: HeaderMap) => Promise<HeaderMap>,
  givenUp: () => void,
): Body {
  let trailers: Promise<HeaderMap> | undefined;
  let known = HeaderMap.EMPTY;
  const read = async (): Promise<Uint8Array | undefined> => {
    const chunk = await body.read().catch((error: unknown) => {
      givenUp();
      throw error;
    });
    if (chunk !== undefined) return chunk;
    trailers ??= replace(body.trailers?.() ?? HeaderMap.EMPTY);
    known = await trailers;
    return undefined;
  };
  const cancel = (): void => {
    givenUp();
    body.cancel();
  };
  return { read, cancel, length: body.length, trailers: () => known };
}
