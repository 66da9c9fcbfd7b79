import type { Writable } from 'node:stream';

/** Resolves when more can be written, or nobody is there to write to. */
export function untilDrained(writable: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      writable.off('drain', settle).off('close', settle);
      resolve();
    };
    writable.on('drain', settle).on('close', settle);
  });
}
