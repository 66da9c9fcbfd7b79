import { Cancellation } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { ProxyError } from '../base/proxy-error.ts';

/** Gets something from elsewhere; gives up, and rejects, when it is cancelled. */
export type Fetch<Value> = (cancellation: Cancellation) => Promise<Value>;

/**
 * One fetch that several requests wait for. It belongs to none of them: who goes away takes nothing from the others, and
 * only the last one to go takes the fetch along.
 */
export interface SharedFetch<Value> {
  /** Rejects with what the fetch failed with, or with the reason of the cancellation. */
  readonly wait: (cancellation: Cancellation) => Promise<Value>;
}

export interface FetchTerms {
  readonly clock: Clock;
  /** Milliseconds the fetch may take; after that it fails with upstreamCallTimeout. */
  readonly patience: number;
  /** Called, perhaps twice, when there is nothing to wait for any more: at once when the fetch is cancelled. */
  readonly over: () => void;
}

/** Starts the fetch. Somebody has to wait from the beginning. */
export function shareFetch<Value>(fetch: Fetch<Value>, { clock, patience, over }: FetchTerms): SharedFetch<Value> {
  const shared = new Cancellation();
  let waiting = 0;

  const stopTimer = clock.after(patience, () => {
    shared.cancel(new ProxyError('upstreamCallTimeout', `no response within ${patience} ms`));
  });
  const outcome = new Promise<Value>((resolve, reject) => {
    // Those who wait do not depend on how fast a fetch gives up.
    shared.onCancel((reason) => {
      over();
      reject(reason);
    });
    fetch(shared).then(resolve, reject);
  }).finally(() => {
    stopTimer();
    over();
  });

  const leave = (reason: Error): void => {
    waiting -= 1;
    if (waiting === 0) shared.cancel(reason);
  };

  return {
    wait: (cancellation) => {
      waiting += 1;
      return new Promise<Value>((resolve, reject) => {
        const stay = cancellation.onCancel((reason) => {
          reject(reason);
          leave(reason);
        });
        outcome.finally(stay).then(resolve, reject);
      });
    },
  };
}
