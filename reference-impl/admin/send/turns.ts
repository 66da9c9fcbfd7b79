/** How many may do something at once. */
export interface Turns {
  /** Gives the turn back when it is called, once or more often; undefined when all are taken. */
  readonly take: () => (() => void) | undefined;
}

export function createTurns(most: number): Turns {
  const taken = new Set<symbol>();
  return {
    take: () => {
      if (taken.size >= most) return undefined;
      const turn = Symbol('turn');
      taken.add(turn);
      return () => {
        taken.delete(turn);
      };
    },
  };
}
