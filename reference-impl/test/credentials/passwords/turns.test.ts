import { expect, test } from 'vitest';
import { Turns } from '../../../credentials/passwords/turns.ts';

const [a, b] = [{}, {}];

function takeAll(turns: Turns<string>): readonly (string | undefined)[] {
  return [turns.take(), turns.take(), turns.take(), turns.take(), turns.take()];
}

test('owners take turns, and each has its own order', () => {
  const turns = new Turns<string>(3);
  for (const item of ['a1', 'a2', 'a3']) turns.add(a, item);
  turns.add(b, 'b1');
  expect(takeAll(turns)).toEqual(['a1', 'b1', 'a2', 'a3', undefined]);
});

test('the room of one owner is not the room of another', () => {
  const turns = new Turns<string>(1);
  expect([turns.add(a, 'a1'), turns.add(a, 'a2'), turns.add(b, 'b1')]).toEqual([true, false, true]);
  turns.remove(a, 'a1');
  expect(turns.add(a, 'a3')).toBe(true);
  expect(takeAll(turns)).toEqual(['b1', 'a3', undefined, undefined, undefined]);
});
