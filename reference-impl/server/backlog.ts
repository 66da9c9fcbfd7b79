/** Work for bytes that clients have sent ahead of its time. */
export interface Backlog {
  /** To be done in a later turn of the event loop: one portion in each, in the order in which they came. One that waits already is not added again. */
  readonly add: (portion: () => void) => void;
  /** Whether it may be done at once, as some may in each turn; otherwise it is added. */
  readonly mayGoOn: (portion: () => void) => boolean;
}

/**
 * One thread serves all connections, and what it does in one turn of the event loop all of them wait for. A client may send a thousand
 * requests, or a body of ten thousand chunks, in one write, and three hundred may send a byte of their bodies each; what of that can wait
 * waits here, and whoever has sent one small request is served in between. docs/security/connections.md
 */
export function createBacklog(): Backlog {
  const waiting = new Set<() => void>();
  let rest = AT_ONCE;
  let isRefilled = true;
  const work = (): void => {
    const [portion] = waiting;
    if (portion === undefined) return;
    waiting.delete(portion);
    if (waiting.size > 0) setImmediate(work);
    portion();
  };
  const add = (portion: () => void): void => {
    if (waiting.size === 0) setImmediate(work);
    waiting.add(portion);
  };
  const refill = (): void => {
    rest = Math.max(0, AT_ONCE - waiting.size);
    isRefilled = true;
  };
  return {
    add,
    mayGoOn: (portion) => {
      if (isRefilled) setImmediate(refill);
      isRefilled = false;
      if (rest > 0 && !waiting.has(portion)) {
        rest -= 1;
        return true;
      }
      add(portion);
      return false;
    },
  };
}

/** Portions of one turn that need not wait while nobody does, and one less for each who does: fewer would cost whoever sends ahead in moderation. */
const AT_ONCE = 8;
