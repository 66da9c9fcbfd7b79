import { expect, test } from 'vitest';
import { Turns, type Place } from '../../../credentials/passwords/turns.ts';

const [a, b] = [placeOf('one'), placeOf('one')];
const another = { ...a, client: 'another' };

function placeOf(client: string): Place {
  return { owner: {}, client };
}

function takeAll(turns: Turns<string>): readonly string[] {
  const next = turns.take();
  return next === undefined ? [] : [next, ...takeAll(turns)];
}

test('owners take turns, and each has its own order', () => {
  const turns = new Turns<string>(3);
  for (const item of ['a1', 'a2', 'a3']) turns.add(a, item);
  turns.add(b, 'b1');
  expect(takeAll(turns)).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('the clients of one owner take turns, which are no turns of another owner', () => {
  const turns = new Turns<string>(9);
  for (const item of ['a1', 'a2', 'a3']) turns.add(a, item);
  turns.add(another, 'c1');
  turns.add(another, 'c2');
  turns.add(b, 'b1');
  expect(takeAll(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('the room of one owner is not the room of another', () => {
  const turns = new Turns<string>(1);
  expect([turns.add(a, 'a1'), turns.add(a, 'a2'), turns.add(b, 'b1')]).toEqual([undefined, 'a2', undefined]);
  turns.remove(a, 'a1');
  expect(turns.add(a, 'a3')).toBeUndefined();
  expect(takeAll(turns)).toEqual(['b1', 'a3']);
});

test('where an owner has no room, the newest of the client who has most gives way', () => {
  const turns = new Turns<string>(3);
  for (const item of ['a1', 'a2', 'a3']) turns.add(a, item);
  expect(turns.add(another, 'c1')).toBe('a3');
  expect(turns.add(a, 'a4')).toBe('a4');
  expect(turns.add({ ...a, client: 'third' }, 'd1')).toBe('a2');
  expect(turns.add({ ...a, client: 'fourth' }, 'e1')).toBe('e1');
  expect(takeAll(turns)).toEqual(['a1', 'c1', 'd1']);
});
