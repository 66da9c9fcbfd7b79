/** Two kinds of work that never go on at the same time: handing a configuration over, and what must not be disturbed by that. */
export interface Quiet {
  /** Waits for hand-overs that are under way, and keeps others waiting until the work is done. Several such works may go on together. */
  readonly undisturbed: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Waits for works that must not be disturbed. */
  readonly handOver: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** One for an implementation. Neither kind may ask for the other from within: both would wait for ever. */
export function createQuiet(): Quiet {
  const works = new Set<Promise<unknown>>();
  const handOvers = new Set<Promise<unknown>>();
  return {
    undisturbed: async (work) => oneOf(works, handOvers, work),
    handOver: async (work) => oneOf(handOvers, works, work),
  };
}

async function oneOf<Result>(
  own: Set<Promise<unknown>>,
  others: ReadonlySet<Promise<unknown>>,
  work: () => Promise<Result>,
): Promise<Result> {
  while (others.size > 0) await Promise.allSettled(others);
  const going = work();
  own.add(going);
  try {
    return await going;
  } finally {
    own.delete(going);
  }
}
