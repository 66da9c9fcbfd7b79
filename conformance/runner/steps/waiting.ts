/** Those who wait until something is so of a connection. */
export interface Waiting {
  /** Something may have become so. */
  readonly wake: () => void;
  /** Resolves when the condition holds, or nothing more will happen. */
  readonly until: (condition: () => boolean) => Promise<void>;
}

/** `isOver`: nothing more will happen, so that nobody need wait. */
export function createWaiting(isOver: () => boolean): Waiting {
  const waiting = new Set<() => void>();
  return {
    wake: () => {
      for (const check of waiting) check();
    },
    until: async (condition) => {
      const enough = (): boolean => condition() || isOver();
      if (enough()) return;
      await new Promise<void>((resolve) => {
        const check = (): void => {
          if (!enough()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
      });
    },
  };
}
