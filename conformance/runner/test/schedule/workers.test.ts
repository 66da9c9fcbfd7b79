import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { adaptWorkers, workersFor } from '../../schedule/workers.ts';

function adapted(most: number): { readonly second: (stretch: number) => number; readonly least: () => number } {
  let time = 0;
  let stretch = 1;
  const workers = adaptWorkers(most, 'machine', { time: () => time, stretch: () => stretch });
  return {
    second: (now) => {
      time += 1000;
      stretch = now;
      return workers.now();
    },
    least: () => workers.tale().least,
  };
}

test('a starved machine gets fewer workers, down to a fifth of them, and more again when it is at ease', () => {
  const { second, least } = adapted(20);
  expect([1, 4.9, 5, 8, 8, 8].map(second)).toEqual([20, 20, 10, 5, 4, 4]);
  expect([3, 2.9, 1.2, 1, 1].map(second)).toEqual([4, 8, 16, 20, 20]);
  expect(least()).toBe(4);
});

test('there is always one', () => {
  expect([9, 9, 9].map(adapted(1).second)).toEqual([1, 1, 1]);
});

test('within a second the number stays', () => {
  let stretch = 1;
  const workers = adaptWorkers(8, 'machine', { time: () => 0, stretch: () => stretch });
  stretch = 8;
  expect(workers.now()).toBe(8);
});

test('the user comes before the manifest, and that before the machine', () => {
  const tune = { batch: 64, timeScale: 1, timeout: '2s' };
  expect(workersFor({ tune: { ...tune, parallel: 12 } }, 5).tale()).toEqual({ most: 5, least: 5, by: 'user' });
  expect(workersFor({ tune: { ...tune, parallel: 12 } }).tale()).toEqual({ most: 12, least: 12, by: 'manifest' });
  expect(workersFor({ tune })).toMatchObject({ most: 10 * availableParallelism() });
});
