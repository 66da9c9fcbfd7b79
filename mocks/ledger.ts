/** One thing that arrived: a request, or for raw TCP a connection. Kinds of mocks add their own members. */
export interface LedgerEntry {
  /** Number of the connection it came on, counted from 1 per mock. */
  readonly connection: number;
  /** Monotonic milliseconds (performance.now) of its first byte. */
  readonly at: number;
  /** Everything the client had to send is here. */
  readonly complete: boolean;
  /** Nothing about it will change any more: it was answered in full, or its connection is gone. */
  readonly settled: boolean;
  /** What a case can state expectations about; plain JSON data. */
  readonly view: () => Readonly<Record<string, unknown>>;
}

/** What arrived at one mock, in order of arrival. Entries stay, unless they are forgotten; an entry fills up until it is settled. */
export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  /** Connections accepted; undefined where the mock cannot count (a refused port sees nothing). */
  readonly attempted: number | undefined;
  /** Entries that are not settled yet; 0 means idle. */
  readonly active: number;
  /** Reasons of `fail` replies that were reached, and requests the mock could not keep. */
  readonly fails: readonly string[];
  /** Calls `listener` after every change; returns the way to unsubscribe. */
  readonly onChange: (listener: () => void) => () => void;
  /** True as soon as `condition` holds, false after `giveUpMs` milliseconds. Checked on every change, not polled. */
  readonly until: (condition: (ledger: Ledger) => boolean, giveUpMs: number) => Promise<boolean>;
  /** The way to forget everything that arrives from now on: entries, connections and fails. */
  readonly mark: () => () => void;
}

/** The writing side, kept by the mock. */
export interface LedgerWriter extends Ledger {
  /** Counts a connection and returns its number. */
  readonly accept: () => number;
  readonly add: (entry: LedgerEntry) => void;
  /** Wakes everybody who waits: an entry has something new to say. */
  readonly notify: () => void;
  readonly fail: (reason: string) => void;
  /** How many of `wanted` bytes may still be kept; what is granted counts against the mock's total. */
  readonly grant: (wanted: number) => number;
}

/** Bytes of bodies and heads one mock keeps, and entries it lists; more is counted, not kept. */
export const LEDGER_LIMITS = { bytes: 64 * 1024 * 1024, entries: 100_000, fails: 1000 };

const FULL = `more than ${LEDGER_LIMITS.entries} requests arrived; the rest is not listed`;

/** An empty ledger; `countsConnections: false` for a mock that cannot see connection attempts. */
export function createLedger(options: { readonly countsConnections?: boolean } = {}): LedgerWriter {
  const entries: LedgerEntry[] = [];
  const fails: string[] = [];
  const listeners = new Set<() => void>();
  let unsettled: LedgerEntry[] = [];
  let connections = 0;
  let forgotten = 0;
  let bytesLeft = LEDGER_LIMITS.bytes;

  function notify(): void {
    for (const listener of listeners) listener();
  }

  function onChange(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  function fail(reason: string): void {
    // A flood would repeat one reason for ever; the list of reasons is a buffer too.
    if (fails.length < LEDGER_LIMITS.fails) fails.push(reason);
    notify();
  }

  function mark(): () => void {
    const then = { entries: entries.length, fails: fails.length, attempted: connections - forgotten };
    return () => {
      entries.length = then.entries;
      fails.length = then.fails;
      forgotten = connections - then.attempted;
      unsettled = unsettled.filter((entry) => entries.includes(entry));
      notify();
    };
  }

  const ledger: LedgerWriter = {
    entries,
    fails,
    get attempted() {
      return options.countsConnections === false ? undefined : connections - forgotten;
    },
    get active() {
      unsettled = unsettled.filter((entry) => !entry.settled);
      return unsettled.length;
    },
    onChange,
    until: (condition, giveUpMs) => until(ledger, condition, giveUpMs),
    mark,
    accept: () => {
      connections += 1;
      notify();
      return connections;
    },
    add: (entry) => {
      unsettled.push(entry);
      if (entries.length < LEDGER_LIMITS.entries) entries.push(entry);
      else fail(FULL);
      notify();
    },
    notify,
    fail,
    grant: (wanted) => {
      const granted = Math.min(wanted, bytesLeft);
      bytesLeft -= granted;
      return granted;
    },
  };
  return ledger;
}

function until(ledger: Ledger, condition: (ledger: Ledger) => boolean, giveUpMs: number): Promise<boolean> {
  if (condition(ledger)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (met: boolean): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve(met);
    };
    const timer = setTimeout(() => settle(false), giveUpMs);
    const unsubscribe = ledger.onChange(() => {
      if (condition(ledger)) settle(true);
    });
  });
}
