import { describe, expect, test } from 'vitest';
import { placesOf } from '../../gallery/text-pattern.ts';

function found(find: string, text: string): readonly string[] {
  return placesOf(find, text, { start: 0, end: text.length }).map(({ start, end }) => text.slice(start, end));
}

describe('a text of code is found', () => {
  test.each([
    ['as it is', 'a.b(c)', 'x = a.b(c);', 'a.b(c)'],
    ['without the white space around it', '\n  a.b(c)\n', 'x = a.b(c);', 'a.b(c)'],
    ['with another indentation', 'if (a)\n  return b;', '    if (a)\n      return b;', 'if (a)\n      return b;'],
    ['broken into lines', 'call(a, b)', 'call(\n  a,\n  b,\n);', 'call(\n  a,\n  b,\n)'],
    ['joined to one line', 'call(\n  a,\n  b,\n)', 'call(a, b);', 'call(a, b)'],
    ['broken before a member', 'list.map(one)', 'list\n  .map(one)', 'list\n  .map(one)'],
    [
      'with every sign of an expression',
      String.raw`/^\d+[a-z]*$/.test(x)`,
      String.raw`/^\d+[a-z]*$/.test(x)`,
      String.raw`/^\d+[a-z]*$/.test(x)`,
    ],
  ])('%s', (_, find, text, expected) => {
    expect(found(find, text)).toEqual([expected]);
  });

  test('each time it stands there, and only between the offsets', () => {
    expect(found('a b', 'a b, a  b')).toEqual(['a b', 'a  b']);
    expect(placesOf('a b', 'a b, a  b', { start: 3, end: 9 })).toEqual([{ start: 5, end: 9 }]);
  });

  test.each([
    ['two words are not one', 'return value', 'returnvalue'],
    ['a comma between items counts', '[a, b]', '[a b]'],
  ])('%s', (_, find, text) => {
    expect(found(find, text)).toEqual([]);
  });
});
