import { expect, test } from 'vitest';
import { runPool } from '../../schedule/pool.ts';

interface Watched {
  readonly ran: number[];
  readonly discarded: number[];
  readonly busiest: { run: number; prepare: number };
}

async function pool(
  batches: readonly (readonly number[])[],
  most: number,
  more: { stopAfter?: number; failOn?: number; workers?: () => number } = {},
): Promise<Watched> {
  const ran: number[] = [];
  const discarded: number[] = [];
  const busy = { run: 0, prepare: 0 };
  const busiest = { run: 0, prepare: 0 };
  const during = async (what: 'run' | 'prepare'): Promise<void> => {
    busy[what] += 1;
    busiest[what] = Math.max(busiest[what], busy[what]);
    await new Promise((resolve) => setImmediate(resolve));
    busy[what] -= 1;
  };
  await runPool(batches, {
    workers: { most, now: more.workers ?? (() => most) },
    stopped: () => ran.length >= (more.stopAfter ?? Infinity),
    prepare: async (batch) => {
      await during('prepare');
      return batch;
    },
    run: async (item) => {
      if (item === more.failOn) throw new Error(`item ${item}`);
      await during('run');
      ran.push(item);
    },
    discard: async (item) => void discarded.push(item),
  });
  return { ran, discarded, busiest };
}

test('everything runs once, never more at once than there are workers, and one batch is prepared at a time', async () => {
  const { ran, busiest, discarded } = await pool([[1], [2, 3, 4], [5, 6, 7, 8, 9]], 3);
  expect(ran.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(busiest).toEqual({ run: 3, prepare: 1 });
  expect(discarded).toEqual([]);
});

test('no batches at all end at once', async () => {
  expect((await pool([], 4)).ran).toEqual([]);
});

test('after a stop nothing new begins and what was prepared is given back', async () => {
  const { ran, discarded } = await pool([[1, 2, 3, 4, 5, 6], [7]], 1, { stopAfter: 2 });
  expect(ran).toEqual([1, 2]);
  expect(discarded).toEqual([3, 4, 5, 6]);
});

test('an error of a worker ends the pool with that error', async () => {
  await expect(pool([[1, 2, 3], [4]], 2, { failOn: 2 })).rejects.toThrow('item 2');
});

test('there are fewer workers while the number is lower, and more again afterwards', async () => {
  const items = Array.from({ length: 40 }, (_, index) => index);
  const atOnce: number[] = [];
  let busy = 0;
  let limit = 4;
  await runPool([items], {
    workers: { most: 4, now: () => limit },
    stopped: () => false,
    prepare: async (batch) => batch,
    run: async (item) => {
      if (item === 10) limit = 1;
      if (item === 20) limit = 4;
      busy += 1;
      atOnce[item] = busy;
      await new Promise((resolve) => setImmediate(resolve));
      busy -= 1;
    },
    discard: async () => undefined,
  });
  expect(Math.max(...atOnce.slice(0, 10))).toBe(4);
  expect(Math.max(...atOnce.slice(14, 20))).toBe(1);
  expect(Math.max(...atOnce.slice(24, 38))).toBe(4);
});
