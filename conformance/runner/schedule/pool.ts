import type { Workers } from './workers.ts';

/** How a pool gets its work: batches that are prepared ahead, one at a time. */
export interface PoolOptions<Item, Prepared> {
  readonly workers: Pick<Workers, 'most' | 'now'>;
  readonly prepare: (batch: readonly Item[]) => Promise<readonly Prepared[]>;
  readonly run: (prepared: Prepared) => Promise<void>;
  /** Once true, nothing new is prepared or begun. */
  readonly stopped: () => boolean;
  /** Gets what was prepared and will not run. */
  readonly discard: (prepared: Prepared) => Promise<void>;
}

/**
 * Runs batches with a number of workers, which may change meanwhile. While the workers are busy the next batch is prepared, but never
 * two at once; no worker waits for the slowest case of a batch. Rejects with the first error of prepare or run, when all workers have ended.
 */
export async function runPool<Item, Prepared>(
  batches: readonly (readonly Item[])[],
  options: PoolOptions<Item, Prepared>,
): Promise<void> {
  const ready: Prepared[] = [];
  const waiters = new Set<() => void>();
  let exhausted = false;
  let failure: { readonly error: unknown } | undefined;
  const over = (): boolean => options.stopped() || failure !== undefined;
  const wake = (): void => {
    for (const waiter of waiters) waiter();
    waiters.clear();
  };
  const change = async (): Promise<void> => new Promise((resolve) => void waiters.add(resolve));

  const produce = async (): Promise<void> => {
    for (const batch of batches) {
      // As many as there are workers lie ready: then the next batch is due.
      while (ready.length >= options.workers.most && !over()) await change();
      if (over()) break;
      ready.push(...(await options.prepare(batch)));
      wake();
    }
  };
  const producer = produce()
    .catch((error: unknown) => {
      failure ??= { error };
    })
    .finally(() => {
      exhausted = true;
      wake();
    });
  const lane = async (number: number): Promise<void> => {
    for (;;) {
      // The first lane always works, and whenever one takes something the others look again.
      const next = over() || number >= options.workers.now() ? undefined : ready.shift();
      if (next !== undefined) {
        wake();
        await options.run(next);
      } else if (over() || (exhausted && ready.length === 0)) {
        // The producer may be waiting for room that nobody will make any more.
        wake();
        return;
      } else await change();
    }
  };
  const lanes = Array.from({ length: options.workers.most }, async (_, number) => {
    await lane(number).catch((error: unknown) => {
      failure ??= { error };
      wake();
    });
  });
  await Promise.all([producer, ...lanes]);
  for (const left of ready) await options.discard(left);
  if (failure !== undefined) throw failure.error;
}
