import type { PolicyReferences } from '../../attachment/view.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';

/** Sends records to one collector in the background. */
export interface Exporter<Item> {
  /** Takes one record and returns at once. Beyond the bound of the queue it is dropped and counted. */
  readonly add: (item: Item, references: PolicyReferences) => void;
  /** Sends what is waiting; resolves when the collector has answered, or was given up. Never rejects. */
  readonly flush: () => Promise<void>;
}

export interface ExporterOptions<Item> {
  readonly send: (items: readonly Item[], references: PolicyReferences) => Promise<void>;
  /** Told how many records nobody will get. */
  readonly onDrop: (count: number) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Holds `flush` while there is something to send. */
  readonly busy: Set<() => Promise<void>>;
}

/** Milliseconds the first record of a batch waits for others. */
const DELAY = 200;
const MOST_BATCH = 512;
/** Records that wait, however slow the collector is. */
const MOST_WAITING = 2048;

/**
 * One batch is under way at a time. A collector that fails costs its batch, one that hangs is given up by `send`; what
 * comes meanwhile waits in a queue that ends at a bound. No request waits for any of it. docs/decisions/telemetry.md
 */
export function createExporter<Item>({ send, onDrop, clock, log, busy }: ExporterOptions<Item>): Exporter<Item> {
  let waiting: { readonly item: Item; readonly references: PolicyReferences }[] = [];
  let stopTimer: (() => void) | undefined;
  let sending: Promise<void> | undefined;
  let isFailing = false;

  const sendBatch = async (): Promise<void> => {
    const batch = waiting.slice(0, MOST_BATCH);
    waiting = waiting.slice(MOST_BATCH);
    const latest = batch.at(-1)?.references;
    if (latest === undefined) return;
    try {
      await send(
        batch.map(({ item }) => item),
        latest,
      );
      isFailing = false;
    } catch (error) {
      onDrop(batch.length);
      // A collector that is down is one line, not one a batch.
      if (!isFailing)
        log.warn('export failed', {
          records: batch.length,
          error: error instanceof Error ? error.message : String(error),
        });
      isFailing = true;
    }
  };
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) await sendBatch();
    sending = undefined;
    busy.delete(flush);
  };
  const flush = (): Promise<void> => {
    stopTimer?.();
    stopTimer = undefined;
    if (waiting.length > 0) sending ??= sendAll();
    return sending ?? Promise.resolve();
  };

  return {
    add: (item, references) => {
      if (waiting.length >= MOST_WAITING) {
        onDrop(1);
        return;
      }
      waiting.push({ item, references });
      if (sending !== undefined || stopTimer !== undefined) return;
      busy.add(flush);
      stopTimer = clock.after(DELAY, () => void flush());
    },
    flush,
  };
}
