/** Messages on their way out: taken one at a time, and whoever puts one in waits until it was taken. */
export interface Outgoing<Message> extends AsyncIterable<Message> {
  /** Resolves when the message was taken. Rejects when the queue is stopped before. */
  readonly send: (message: Message) => Promise<void>;
  /** Nothing is taken any more, and the iteration ends; who waits learns the reason. */
  readonly stop: (reason: Error) => void;
}

interface Waiting<Message> {
  readonly message: Message;
  readonly taken: () => void;
  readonly lost: (reason: Error) => void;
}

/** An empty queue; `onTaken` is told of each message as it leaves. */
export function createOutgoing<Message>(onTaken: (message: Message) => void): Outgoing<Message> {
  const waiting: Waiting<Message>[] = [];
  let reader: ((result: IteratorResult<Message, undefined>) => void) | undefined;
  let stopped: Error | undefined;

  function serve(): void {
    const next = reader === undefined ? undefined : waiting.shift();
    if (next !== undefined) {
      onTaken(next.message);
      next.taken();
      answer({ done: false, value: next.message });
    } else if (stopped !== undefined) {
      answer({ done: true, value: undefined });
    }
  }

  function answer(result: IteratorResult<Message, undefined>): void {
    reader?.(result);
    reader = undefined;
  }

  function stop(reason: Error): void {
    stopped ??= reason;
    for (const { lost } of waiting.splice(0)) lost(stopped);
    serve();
  }

  return {
    send: (message) =>
      new Promise((taken, lost) => {
        if (stopped !== undefined) {
          lost(stopped);
          return;
        }
        waiting.push({ message, taken, lost });
        serve();
      }),
    stop,
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve) => {
          reader = resolve;
          serve();
        }),
      // How the connection says that what it took did not get through.
      throw: (reason: unknown) => {
        stop(reason instanceof Error ? reason : new Error(String(reason)));
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}
