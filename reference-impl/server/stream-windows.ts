import type { Buffer } from 'node:buffer';

/** How much a client lets be sent on its streams, as far as it is known before the session knows it (RFC 9113, section 6.9.1). */
export interface StreamWindows {
  /** The payload of SETTINGS. */
  readonly announce: (settings: Buffer) => void;
  /** Adds to the window of a stream; false, and nothing is added, where that would certainly be too much. */
  readonly widen: (stream: number, increment: number) => boolean;
  /** Nothing is sent on it any more. */
  readonly over: (stream: number) => void;
}

/**
 * `handed` says how many bytes of its body a stream was given: what was sent of it is no more than that, so the true window is at least
 * the one that is counted here. A count that is lost makes it smaller still.
 */
export function streamWindows(handed: (stream: number) => number): StreamWindows {
  let initial = FIRST_INITIAL;
  const widened = new Map<number, number>();
  return {
    announce: (settings) => {
      for (let at = 0; at + SETTING <= settings.length; at += SETTING) {
        if (settings.readUInt16BE(at) === INITIAL_WINDOW_SIZE) initial = settings.readUInt32BE(at + 2);
      }
    },
    widen: (stream, increment) => {
      const total = (widened.get(stream) ?? 0) + increment;
      // Asked for by those alone who have allowed two gigabytes.
      if (initial + total > LARGEST && initial + total - handed(stream) > LARGEST) return false;
      widened.set(stream, total);
      const [first] = widened.keys();
      if (widened.size > MOST_COUNTED && first !== undefined) widened.delete(first);
      return true;
    },
    over: (stream) => {
      widened.delete(stream);
    },
  };
}

const LARGEST = 2 ** 31 - 1;

/** Section 6.5.2. */
const FIRST_INITIAL = 65_535;
const INITIAL_WINDOW_SIZE = 4;
/** Bytes of one setting. */
const SETTING = 6;

/** Twice as many streams as may be open. */
const MOST_COUNTED = 500;
