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
}

const KEPT = 500;

/** A timeline that begins now. */
export function createTimeline(): Timeline {
  const began = performance.now();
  const entries: TimelineEntry[] = [];
  const addAt: Timeline['addAt'] = (at, who, what) => {
    if (entries.length < KEPT) entries.push({ atMs: Math.round((at - began) * 10) / 10, who, what });
  };
  return {
    add: (who, what) => addAt(performance.now(), who, what),
    addAt,
    entries: () => entries.toSorted((one, other) => one.atMs - other.atMs),
  };
}
