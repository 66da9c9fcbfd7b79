import { array, assert, constantFrom, property, string, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { HeaderMap } from '../../base/headers.ts';

const name = constantFrom('A', 'a', 'B', 'b', '__proto__', 'X-Long');
const pairs = array(tuple(name, string({ maxLength: 3 })), { maxLength: 8 });
const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();

it('edits like a list of pairs, and never changes the map it came from', () => {
  assert(
    property(pairs, name, string({ maxLength: 3 }), (fields, key, value) => {
      const map = HeaderMap.of(fields);
      const first = fields.findIndex(([other]) => same(other, key));
      const replaced = fields.flatMap(([other, old], index) =>
        index === first ? [[key, value]] : same(other, key) ? [] : [[other, old]],
      );
      expect([...map.set(key, value)]).toEqual(first < 0 ? [...fields, [key, value]] : replaced);
      expect([...map.add(key, value)]).toEqual([...fields, [key, value]]);
      expect([...map.remove(key)]).toEqual(fields.filter(([other]) => !same(other, key)));
      expect(map.set(key, value).remove(key).add('q', '1').get('Q')).toBe('1');
      expect(map.set(key, value).getAll(key)).toEqual([value]);
      expect([...map]).toEqual(fields);
    }),
  );
});

it('shows repeated fields as a list, whatever they are called', () => {
  const view = HeaderMap.fromRaw(['A', '1', '__proto__', 'x', 'a', '2', 'a', '3']).view();
  expect(Object.entries(view)).toEqual([
    ['a', ['1', '2', '3']],
    ['__proto__', 'x'],
  ]);
});
