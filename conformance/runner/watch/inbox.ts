import { both, NOTHING, type Touched } from './touched.ts';

/** An editor writes a file in several steps, and a checkout many files. */
const QUIET_MS = 100;

/** Changes that nobody has looked at yet. */
export interface Inbox {
  readonly put: (touched: Touched) => void;
  /** Everything that has come, once nothing more came for a moment; undefined when it is over. */
  readonly take: (over: AbortSignal) => Promise<Touched | undefined>;
  /** Aborted by whatever comes next. */
  readonly next: () => AbortSignal;
}

/** An empty one. */
export function openInbox(): Inbox {
  let waiting = NOTHING;
  let coming = new AbortController();
  const listeners = new Set<() => void>();
  return {
    put: (touched) => {
      waiting = both(waiting, touched);
      coming.abort();
      for (const listener of listeners) listener();
    },
    next: () => coming.signal,
    take: async (over) => {
      await quiet(listeners, () => waiting !== NOTHING, over);
      if (over.aborted) return undefined;
      const taken = waiting;
      waiting = NOTHING;
      coming = new AbortController();
      return taken;
    },
  };
}

/** Resolves when something is there and nothing more came for a moment, or when it is over. */
function quiet(listeners: Set<() => void>, isThere: () => boolean, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(timer);
      listeners.delete(again);
      over.removeEventListener('abort', finish);
      resolve();
    };
    const again = (): void => {
      clearTimeout(timer);
      timer = setTimeout(finish, QUIET_MS);
    };
    listeners.add(again);
    over.addEventListener('abort', finish);
    if (over.aborted) finish();
    else if (isThere()) again();
  });
}
