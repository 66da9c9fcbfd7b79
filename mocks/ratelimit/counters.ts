import { performance } from 'node:perf_hooks';

/** Where hits are counted. */
export interface Counters {
  /** Adds `hits` to the counter of `key`, whose time begins when it is first used. */
  readonly add: (key: string, hits: number, windowMs: number) => Promise<Count>;
  readonly close: () => void;
}

export interface Count {
  readonly count: number;
  /** Milliseconds until it begins anew. */
  readonly resetIn: number;
}

/** Keys one mock counts; more are a defect of the case. */
const MOST_KEYS = 1_000_000;

/** Counters that only this mock knows. */
export function memoryCounters(): Counters {
  const windows = new Map<string, { count: number; readonly endsAt: number }>();
  return {
    add: async (key, hits, windowMs) => {
      const now = performance.now();
      const known = windows.get(key);
      const window = known === undefined || known.endsAt <= now ? { count: 0, endsAt: now + windowMs } : known;
      if (known === undefined && windows.size >= MOST_KEYS) throw new RangeError(`more than ${MOST_KEYS} keys`);
      windows.set(key, window);
      window.count += hits;
      return { count: window.count, resetIn: window.endsAt - now };
    },
    close: () => windows.clear(),
  };
}
