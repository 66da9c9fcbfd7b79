import { describe, expect, test } from 'vitest';
import { placesOf, search, type Searchable } from '../../values/search.ts';

interface Entry extends Searchable {
  readonly name: string;
}

function entry(name: string, ...texts: readonly string[]): Entry {
  return { name, lines: texts.map((text, index) => ({ label: String(index), text, weight: index === 0 ? 3 : 1 })) };
}

const ENTRIES = [
  entry('codes', 'RETRY-003', 'A status in the codes list is retried.'),
  entry('body', 'BUFFER-001', 'A body larger than the limit is refused.'),
  entry('both', 'RETRY-006', 'A retried request carries the same body.'),
  entry('camel', 'TIME-001', 'requestTimeout ends the whole exchange.'),
];

function names(...words: readonly string[]): readonly string[] {
  return search(ENTRIES, words).found.map((found) => found.entry.name);
}

describe('search', () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['a word in any case', ['BODY'], ['body', 'both']],
    ['the beginning of a word', ['retr'], ['codes', 'both']],
    ['a part inside a word', ['imeou'], ['camel']],
    ['an id', ['retry-006'], ['both']],
    ['every word, wherever each stands', ['body', 'retry'], ['both']],
    ['the same word twice', ['codes', 'codes'], ['codes']],
    ['nothing', ['xyzzy'], []],
  ])('finds %s', (_, words, found) => {
    expect(names(...words)).toEqual(found);
  });

  test('puts a whole word before the beginning of one, and both before a part inside', () => {
    const entries = [
      entry('inside', 'untimely'),
      entry('begins', 'timely'),
      entry('camel', 'anyTime'),
      entry('whole', 'time'),
    ];
    const found = search(entries, ['time']).found.map((one) => one.entry.name);
    expect(found).toEqual(['camel', 'whole', 'begins', 'inside']);
  });

  test('puts a word of a heavy line before the same word of a light one', () => {
    const entries = [entry('light', 'x', 'retry'), entry('heavy', 'retry', 'x')];
    expect(search(entries, ['retry']).found.map((one) => one.entry.name)).toEqual(['heavy', 'light']);
  });

  test('names the lines that have a word, and no others', () => {
    expect(search(ENTRIES, ['body', 'retried']).found[0]?.why.map(({ text }) => text)).toEqual([
      'A retried request carries the same body.',
    ]);
  });

  test('takes what has the most of the words when nothing has all, and says what may have been meant', () => {
    const { found, complete, unknown } = search(ENTRIES, ['body', 'retried', 'largr']);
    expect(complete).toBe(false);
    expect(found.map((one) => one.entry.name)).toEqual(['both']);
    expect(unknown).toEqual([{ word: 'largr', meant: 'larger' }]);
  });

  test('of nothing suggests nothing that is far away', () => {
    expect(search(ENTRIES, ['xyzzy'])).toEqual({
      found: [],
      complete: false,
      unknown: [{ word: 'xyzzy', meant: undefined }],
    });
  });
});

test('the places of words do not overlap, and the longest of those that begin together counts', () => {
  expect(placesOf(['re', 'retry', 'try'], 'Retry re')).toEqual([
    [0, 5],
    [6, 8],
  ]);
});
