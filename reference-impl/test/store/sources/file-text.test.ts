import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { locatorOf, readDocument, splitDocuments } from '../../../store/sources/file-text.ts';
import { readYaml } from '../../../store/sources/yaml-document.ts';

describe('splitting', () => {
  test.each([
    ['a: 1', [1]],
    ['---\na: 1\n---\nb: 2\n', [1, 3]],
    ['# c\n---\na: 1\n...\n---\n# nothing\n---\nb: 2', [1, 7]],
    ['%YAML 1.2\n---\na: 1\n', [1]],
    ['a: |\n  ---\n  text\n--- \nb: 1', [1, 4]],
    ['', []],
    ['# only\n\n---\n', []],
  ])('%j', (text, lines) => {
    expect(splitDocuments(text).map(({ line }) => line)).toEqual(lines);
  });
});

test.each([
  ['{"a": [1, {"b": null}], "c": "\\"d\\":"}', { a: [1, { b: null }], c: '"d":' }],
  ['---\n{"a": 1}\n', { a: 1 }],
  ['--- {"a": 1}', { a: 1 }],
  ['a: no\nb: 012\nc: 1e3\nd: ~\ne: "1"', { a: 'no', b: 12, c: 1000, d: null, e: '1' }],
  ['%YAML 1.2\n---\na: 1\n', { a: 1 }],
  ['x: &x {k: v}\ny: *x', { x: { k: 'v' }, y: { k: 'v' } }],
  ['{a: 1}', { a: 1 }],
])('reads %j', (text, value) => {
  expect(readDocument(text)).toMatchObject({ ok: true, value });
});

test.each([
  ['a: 1\nb: 2\na: 3', 3, 1, 'the key "a" is repeated'],
  ['{"a": 1,\n "a": 2}', 2, 2, 'the key "a" is repeated'],
  ['x: 1\n__proto__: {}', 2, 1, 'the key __proto__ is not allowed'],
  ['{"__proto__": 1, "__proto__": 2}', 1, 2, 'the key __proto__ is not allowed'],
  ['a: *b', 1, 4, expect.stringContaining('b')],
  ['a: &a [*a]', 1, 8, expect.stringContaining('a')],
  ['a: [1,', 1, 7, expect.any(String)],
  ['? [a]\n: b', 1, 3, expect.stringContaining('string')],
  ['a:\n\t- b', 2, 1, expect.stringContaining('Tabs')],
])('refuses %j', (text, line, column, message: unknown) => {
  const read = readDocument(text);
  expect(read.ok ? [] : read.problems).toContainEqual({ position: { line, column }, message });
});

test.each([
  [['spec', 'rules', 1, 'name'], 5, 7],
  [['spec', 'rules', 1], 5, 7],
  [['spec', 'missing'], 2, 1],
  [['metadata', 'name'], 1, 1],
])('%j is at %d:%d', (path, line, column) => {
  expect(locatorOf('kind: A\nspec:\n  rules:\n    - x: 1\n    - name: n\n')(path)).toEqual({ line, column });
});

const bomb = `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(',')}]`).join('\n')}`;

test.each([
  ['an alias bomb', bomb],
  ['deep lists', '['.repeat(100_000)],
  ['deep maps', '{a: '.repeat(50_000)],
  ['deep blocks', '- '.repeat(50_000)],
  ['quotes', '"'.repeat(100_000)],
  ['brackets', ']'.repeat(100_000)],
  ['more than a document may have', `a: ${'x'.repeat(1.5 * 1024 * 1024)}`],
  ['more marks than a document may have', `a: [${'1,'.repeat(400_000)}]`],
  [
    'keys without end, the last one twice',
    `${Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join('\n')}\nk0: 2`,
  ],
  ['deep JSON that repeats a key', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}, "a": 1}`],
])('hostile text is refused in bounded time: %s', { timeout: 10_000 }, (_, text) => {
  expect(readDocument(text)).toMatchObject({ ok: false });
});

test('a document may be as large as an object: 1.5 MiB, usual or in one piece', { timeout: 60_000 }, () => {
  const usual = Array.from(
    { length: 30_000 },
    (_, index) => `- name: item-${index}\n  value: the value of this item\n`,
  );
  const text = `items:\n${usual.join('')}`;
  expect(text.length).toBeGreaterThan(1.4 * 1024 * 1024);
  for (const value of [text, `a: ${'x'.repeat(1.5 * 1024 * 1024 - 3)}`]) expect(readDocument(value).ok).toBe(true);
});

test('property: any text is read or refused, never thrown on', () => {
  const yamlish = fc.array(
    fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '&x ',
      '*x',
      '|',
      '>',
      '#',
      '?',
      '!!str ',
      '---',
      '...',
      '%',
      '\t',
      '0',
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        yamlish.map((parts) => parts.join('')),
      ),
      (text) => {
        for (const document of splitDocuments(text)) readDocument(document.text);
      },
    ),
  );
});

test('property: JSON gives the same value on its fast way as through the YAML reader', () => {
  const json = fc.dictionary(fc.stringMatching(/^[a-z"\\:]{1,5}$/), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value);
      if (text.includes('__proto__')) return;
      for (const read of [readDocument(text), readYaml(text)]) expect(read.ok && JSON.stringify(read.value)).toBe(text);
    }),
  );
});

test('a key that ends in an escaped quote is that key, whatever keys were read before', () => {
  for (const value of [
    { ':': 1, 'a\\': 1 },
    { ':': 1, 'a"': 1 },
  ])
    expect(readDocument(JSON.stringify(value))).toEqual({ ok: true, value });
});
