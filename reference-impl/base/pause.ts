import type { Cancellation } from './cancellation.ts';
import type { Clock } from './clock.ts';

/** Resolves after so many milliseconds. Rejects with the reason of the cancellation, at once, when that comes first. */
export function pause(milliseconds: number, clock: Clock, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve, reject) => {
    if (cancellation.reason !== undefined) {
      reject(cancellation.reason);
      return;
    }
    const stopListening = cancellation.onCancel((reason) => {
      stop();
      reject(reason);
    });
    const stop = clock.after(milliseconds, () => {
      stopListening();
      resolve();
    });
  });
}
