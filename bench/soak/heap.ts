/** The heap of another Node process, asked through its inspector. */
export interface Heap {
  /** Bytes in use after everything that can be collected was collected. */
  readonly used: () => Promise<number>;
  readonly close: () => void;
}

/** Connects to the inspector at a `ws:` address. Rejects when nobody is there. */
export async function inspectHeap(address: string): Promise<Heap> {
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${address}`)));
  });
  let asked = 0;
  const ask = async (method: string): Promise<Record<string, unknown>> => {
    if (socket.readyState !== WebSocket.OPEN) throw new Error('the process is gone');
    asked += 1;
    const id = asked;
    const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
      socket.addEventListener('close', () => reject(new Error('the process is gone')));
      socket.addEventListener('message', ({ data }) => {
        const message = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown> };
        if (message.id === id) resolve(message.result ?? {});
      });
    });
    socket.send(JSON.stringify({ id, method }));
    return answered;
  };
  return {
    used: async () => {
      // What a first collection finalizes only a second one frees.
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      return Number((await ask('Runtime.getHeapUsage'))['usedSize']);
    },
    close: () => socket.close(),
  };
}
