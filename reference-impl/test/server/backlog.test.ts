import { expect, it } from 'vitest';
import { createBacklog } from '../../server/backlog.ts';

it('one portion each turn of the event loop, in the order in which they came, and none twice', async () => {
  const backlog = createBacklog();
  const done: string[] = [];
  const first = (): void => void done.push('first');
  const second = (): void => void done.push('second');
  const third = (): void => void done.push('third');
  for (const portion of [first, second, first, third]) backlog.add(portion);
  const turns: string[][] = [];
  while (done.length < 3) {
    await turn();
    turns.push([...done]);
  }
  await turn();
  expect(turns).toEqual([['first'], ['first', 'second'], ['first', 'second', 'third']]);
  expect(done).toHaveLength(3);
});

it('a portion that adds itself again waits behind the others', async () => {
  const backlog = createBacklog();
  const done: string[] = [];
  const long = (): void => {
    done.push('long');
    if (done.length < 5) backlog.add(long);
  };
  backlog.add(long);
  backlog.add(() => void done.push('short'));
  while (done.length < 5) await turn();
  expect(done).toEqual(['long', 'short', 'long', 'long', 'long']);
});

it('eight portions of a turn need not wait, fewer while some wait, and who waits does so until it is done', async () => {
  const backlog = createBacklog();
  const done: number[] = [];
  const portions = Array.from({ length: 10 }, (_, index) => () => void done.push(index));
  const may = portions.map((portion) => backlog.mayGoOn(portion));
  expect(may).toEqual([...Array.from({ length: 8 }, () => true), false, false]);
  await turn();
  expect(done).toEqual([8]);
  expect(backlog.mayGoOn(portions[9] ?? fail)).toBe(false);
  expect(Array.from({ length: 8 }, () => backlog.mayGoOn(portions[0] ?? fail))).toEqual([
    ...Array.from({ length: 6 }, () => true),
    false,
    false,
  ]);
  await turn();
  expect(done).toEqual([8, 9]);
  await turn();
  expect(done).toEqual([8, 9, 0]);
  expect(backlog.mayGoOn(portions[9] ?? fail)).toBe(true);
});

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function fail(): never {
  throw new Error('there are ten portions');
}
