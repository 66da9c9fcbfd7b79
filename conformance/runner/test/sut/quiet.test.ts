import { expect, test } from 'vitest';
import { createQuiet } from '../../sut/quiet.ts';

test('a hand-over waits for what must not be disturbed, and that for a hand-over; two of a kind go on together', async () => {
  const { undisturbed, handOver } = createQuiet();
  const told: string[] = [];
  const ends = {
    one: Promise.withResolvers<void>(),
    two: Promise.withResolvers<void>(),
    hand: Promise.withResolvers<void>(),
  };
  const work = (name: keyof typeof ends) => async (): Promise<string> => {
    told.push(`${name} begins`);
    await ends[name].promise;
    told.push(`${name} ends`);
    return name;
  };
  const one = undisturbed(work('one'));
  const two = undisturbed(work('two'));
  const hand = handOver(work('hand'));
  ends.one.resolve();
  expect(await one).toBe('one');
  expect(told).toEqual(['one begins', 'two begins', 'one ends']);
  ends.two.resolve();
  await two;
  const last = undisturbed(async () => told.push('last'));
  ends.hand.resolve();
  await Promise.all([hand, last]);
  expect(told.slice(3)).toEqual(['two ends', 'hand begins', 'hand ends', 'last']);
});

test('work that fails keeps nobody waiting', async () => {
  const { undisturbed, handOver } = createQuiet();
  await expect(undisturbed(async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(handOver(async () => Promise.resolve('handed over'))).resolves.toBe('handed over');
});
