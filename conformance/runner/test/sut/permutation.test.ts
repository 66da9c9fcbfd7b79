import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lowerFirst, permutationOf } from '../../sut/permutation.ts';

test('an old name and the new one at the other end change places', () => {
  const names = permutationOf({ a: 'b', b: 'c', Allow: 'permit' });
  expect(['a', 'b', 'c', 'Allow', 'permit', 'd'].map((name) => names?.there(name))).toEqual(
    ['b', 'c', 'a', 'permit', 'Allow', 'd'], // a took the place of c, which nobody gave up
  );
});

test('a table that gives one name to two things is none', () => {
  expect(permutationOf({ a: 'x', b: 'x' })).toBeUndefined();
});

test('there and back, and back and there, is the identity for every name', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__', '');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name)), name, (pairs, asked) => {
      const names = permutationOf(Object.fromEntries(pairs));
      if (names === undefined) return;
      expect(names.back(names.there(asked))).toBe(asked);
      expect(names.there(names.back(asked))).toBe(asked);
    }),
  );
});

test('the case rule undoes itself', () => {
  expect(lowerFirst.there('PreRouting')).toBe('preRouting');
  expect(lowerFirst.there('preRouting')).toBe('PreRouting');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => lowerFirst.back(lowerFirst.there(text)) === text),
  );
});
