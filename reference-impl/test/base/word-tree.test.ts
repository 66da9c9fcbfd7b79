import { expect, test } from 'vitest';
import { WordTree } from '../../base/word-tree.ts';

test('a value is made once for the same words in the same order, and for no others', () => {
  const tree = new WordTree<object>();
  const made = tree.at(['GET', 200, undefined], () => ({}));
  expect(tree.at(['GET', 200, undefined], () => ({}))).toBe(made);
  const others = [['GET', 200], ['GET', 200, null], ['GET', '200', undefined], [200, 'GET', undefined], []];
  for (const words of others) expect(tree.at(words, () => ({}))).not.toBe(made);
});
