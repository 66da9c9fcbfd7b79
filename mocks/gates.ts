/** How a wait at a gate ended. */
export type GateOutcome = 'opened' | 'gave-up';

/** Named one-way gates of one case: a peer waits at them, a client event opens them. */
export interface Gates {
  readonly open: (name: string) => void;
  /**
   * Resolves `opened` (at once when it is open already) or `gave-up` after `giveUpMs` milliseconds. Without a number, which is what a
   * script means by a pause, the gates have a patience of their own. Never rejects.
   */
  readonly wait: (name: string, giveUpMs?: number) => Promise<GateOutcome>;
  /** Per gate: `gave-up` if any waiter gave up, else `opened`, else `waiting`. */
  readonly outcomes: () => Readonly<Record<string, GateOutcome | 'waiting'>>;
  /** Releases every waiter as `gave-up`; a later wait gives up at once. */
  readonly close: () => void;
}

interface Gate {
  open: boolean;
  gaveUp: boolean;
  readonly waiters: Set<(outcome: GateOutcome) => void>;
}

/** Calls back after so many milliseconds; the answer calls it off. */
export type After = (ms: number, callback: () => void) => () => void;

const PATIENCE_MS = 2000;

/** Gates without any opened yet. `after` measures their own patience: on a busy machine it may know better than the clock. */
export function createGates(after: After = afterWall): Gates {
  const gates = new Map<string, Gate>();
  let closed = false;

  function gate(name: string): Gate {
    const known = gates.get(name);
    if (known !== undefined) return known;
    const fresh: Gate = { open: false, gaveUp: false, waiters: new Set() };
    gates.set(name, fresh);
    return fresh;
  }

  return {
    open: (name) => {
      const opened = gate(name);
      opened.open = true;
      release(opened, 'opened');
    },
    wait: (name, giveUpMs) => {
      const awaited = gate(name);
      if (awaited.open) return Promise.resolve('opened');
      if (closed) return waitAt(awaited, (settle) => afterWall(0, settle));
      return waitAt(awaited, (settle) =>
        giveUpMs === undefined ? after(PATIENCE_MS, settle) : afterWall(giveUpMs, settle),
      );
    },
    outcomes: () => Object.fromEntries([...gates].map(([name, state]) => [name, outcomeOf(state)])),
    close: () => {
      closed = true;
      for (const state of gates.values()) release(state, 'gave-up');
    },
  };
}

function afterWall(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

function waitAt(gate: Gate, later: (giveUp: () => void) => () => void): Promise<GateOutcome> {
  return new Promise((resolve) => {
    const settle = (outcome: GateOutcome): void => {
      cancel();
      gate.waiters.delete(settle);
      if (outcome === 'gave-up') gate.gaveUp = true;
      resolve(outcome);
    };
    const cancel = later(() => settle('gave-up'));
    gate.waiters.add(settle);
  });
}

function release(gate: Gate, outcome: GateOutcome): void {
  for (const settle of gate.waiters) settle(outcome);
}

function outcomeOf(gate: Gate): GateOutcome | 'waiting' {
  if (gate.gaveUp) return 'gave-up';
  return gate.open ? 'opened' : 'waiting';
}
