import { describe, expect, test } from 'vitest';
import type { AdapterClient } from '../../sut/adapter-client.ts';
import { shareAdapter } from '../../sut/shared-adapter.ts';

/** Stands in for a program: counts how often it was started and stopped, and is broken when the test says so. */
class Program {
  started = 0;
  stopped = 0;
  broken: string | undefined;

  readonly start = async (): Promise<AdapterClient> => {
    this.started += 1;
    return Promise.resolve({
      hello: { seq: 1, protocol: 1, implementation: { name: 'double' }, ops: [], features: {}, unspecified: {} },
      call: async () => Promise.resolve({}),
      logs: () => [],
      logged: () => 0,
      broken: () => this.broken,
      ended: Promise.resolve(''),
      stop: async () => Promise.resolve(void (this.stopped += 1)),
    });
  };
}

describe('an adapter that several instances ask', () => {
  test('is started once for the same words, also at the same moment, and stopped with the last of them', async () => {
    const program = new Program();
    const [first, second] = await Promise.all([shareAdapter(['a'], program.start), shareAdapter(['a'], program.start)]);
    await first.stop();
    await first.stop();
    expect(program).toMatchObject({ started: 1, stopped: 0 });
    await second.stop();
    expect(program).toMatchObject({ started: 1, stopped: 1 });
    await (await shareAdapter(['a'], program.start)).stop();
    expect(program).toMatchObject({ started: 2, stopped: 2 });
  });

  test('is not that of other words', async () => {
    const program = new Program();
    const both = [await shareAdapter(['a'], program.start), await shareAdapter(['b'], program.start)];
    expect(program.started).toBe(2);
    for (const adapter of both) await adapter.stop();
  });

  test('gives way to a new one when it is broken', async () => {
    const program = new Program();
    const first = await shareAdapter(['a'], program.start);
    program.broken = 'ended';
    const second = await shareAdapter(['a'], program.start);
    expect(program.started).toBe(2);
    await first.stop();
    await second.stop();
    expect(program.stopped).toBe(2);
  });

  test('that does not start is tried again by the next', async () => {
    await expect(shareAdapter(['a'], fails)).rejects.toThrow('it does not start');
    const program = new Program();
    await (await shareAdapter(['a'], program.start)).stop();
    expect(program.started).toBe(1);
  });
});

async function fails(): Promise<never> {
  return Promise.reject(new Error('it does not start'));
}
