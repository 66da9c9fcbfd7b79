/** A stream to one client that others write into while it is open. */
export interface Outlet {
  readonly texts: AsyncIterable<string>;
  readonly push: (text: string) => void;
  readonly end: () => void;
}

/** Texts that nobody has read yet; a stream that is not read ends when it has more. */
const MOST = 10_000;

export function createOutlet(): Outlet {
  const waiting: string[] = [];
  let wake = Promise.withResolvers<void>();
  let ended = false;
  async function* read(): AsyncGenerator<string> {
    for (;;) {
      yield* waiting.splice(0);
      if (ended) return;
      await wake.promise;
      wake = Promise.withResolvers<void>();
    }
  }
  return {
    texts: read(),
    push: (text) => {
      if (waiting.length < MOST) waiting.push(text);
      else ended = true;
      wake.resolve();
    },
    end: () => {
      ended = true;
      wake.resolve();
    },
  };
}
