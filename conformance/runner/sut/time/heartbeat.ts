const EVERY_MS = 250;
/** Even a quiet machine takes so long now and then. */
const LEAST_ALLOWANCE_MS = 50;
const ALLOWED_TIMES = 4;
/** After so long without an answer it is no longer slow: it hangs, and that is not the machine's doing. */
const HANGS_MS = 1500;
const REMEMBERED = 20;

/** Requests that go the whole way, from this process through the implementation to a mock and back, while cases run. */
export interface Heartbeat {
  /** How much of the last milliseconds a request was on its way for longer than it takes on a quiet machine. */
  readonly loss: (intervalMs: number) => number;
  /** Sends a request now and then until it is called off; `send` resolves when the answer is there, whatever it is. */
  readonly start: (send: () => Promise<unknown>) => () => void;
}

/** Makes a heartbeat that is not beating yet. */
export function createHeartbeat(now: () => number = () => performance.now()): Heartbeat {
  const sent = new Set<number>();
  const took: number[] = [];
  const beat = async (send: () => Promise<unknown>): Promise<void> => {
    const began = now();
    sent.add(began);
    await send().catch(() => undefined);
    sent.delete(began);
    took.push(now() - began);
    if (took.length > REMEMBERED) took.shift();
  };
  return {
    loss: (intervalMs) => {
      const allowed = Math.max(LEAST_ALLOWANCE_MS, ALLOWED_TIMES * usual(took));
      const late = [...sent].map((began) => now() - began).filter((age) => age < HANGS_MS);
      return Math.max(0, Math.min(intervalMs, Math.max(0, ...late) - allowed));
    },
    start: (send) => {
      const end = new AbortController();
      const lane = async (): Promise<void> => {
        while (!end.signal.aborted) {
          await beat(send);
          await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
        }
      };
      void lane();
      return () => end.abort();
    },
  };
}

// The quicker ones tell what it takes when nothing is in the way.
function usual(took: readonly number[]): number {
  return took.toSorted((one, other) => one - other)[Math.floor(took.length / 4)] ?? 0;
}
