import type { Exchange } from './exchange-record.ts';

/** One thing that happened, for the failure output. */
export interface TimelineEntry {
  /** Milliseconds since the case began. */
  readonly atMs: number;
  readonly who: string;
  readonly what: string;
}

/** What happened in one case, in the order of time. */
export interface Timeline {
  readonly add: (who: string, what: string) => void;
  /** For things whose moment was written down elsewhere (ledgers); `at` is a performance.now() value. */
  readonly addAt: (at: number, who: string, what: string) => void;
  readonly entries: () => readonly TimelineEntry[];
  /** Keeps a question and its answer; they are written out only if somebody asks for them. */
  readonly exchanged: (write: () => Exchange) => void;
  readonly exchanges: () => readonly Exchange[];
}

const KEPT = 500;
const KEPT_EXCHANGES = 100;

/** A timeline that begins now. */
export function createTimeline(): Timeline {
  const began = performance.now();
  const entries: TimelineEntry[] = [];
  const exchanges: (() => Exchange)[] = [];
  const addAt: Timeline['addAt'] = (at, who, what) => {
    if (entries.length < KEPT) entries.push({ atMs: Math.round((at - began) * 10) / 10, who, what });
  };
  return {
    add: (who, what) => addAt(performance.now(), who, what),
    addAt,
    exchanged: (write) => {
      exchanges.push(write);
      // The first and the last ones are kept: a long repetition says the same in the middle.
      if (exchanges.length > KEPT_EXCHANGES) exchanges.splice(KEPT_EXCHANGES / 2, 1);
    },
    exchanges: () => exchanges.map((write) => write()),
    entries: () => entries.toSorted((one, other) => one.atMs - other.atMs),
  };
}
