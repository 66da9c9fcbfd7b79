import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { yamlText } from '../../base/yaml-text.ts';

const WORDS = [
  'on',
  'Off',
  'YES',
  'no',
  'y',
  'N',
  'true',
  'null',
  '~',
  '010',
  '1_000',
  '12:30',
  '2001-12-14',
  '<<',
  '1e3',
];

test.each(WORDS)('%s stays a text, as a value and as a name, in YAML 1.1 and 1.2', (word) => {
  const value = { list: [word], [word]: word };
  for (const version of ['1.1', '1.2'] as const) expect(parse(yamlText(value), { version })).toEqual(value);
});

test('what is used twice is written twice', () => {
  const shared = { a: 1 };
  expect(yamlText([shared, shared])).toBe('- a: 1\n- a: 1\n');
});
