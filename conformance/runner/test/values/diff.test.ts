import { expect, test } from 'vitest';
import { difference } from '../../values/diff.ts';
import { editDistance, nearest } from '../../values/nearest.ts';

const long = 'a'.repeat(100);

test.each([
  ['short texts are shown whole', 'ab', 'ac', '"ab"', '"ac"'],
  [
    'long texts are cut to the difference',
    `${long}x${long}`,
    `${long}y`,
    `"…${'a'.repeat(24)}x${'a'.repeat(23)}…" (character 101 of 201)`,
    `"…${'a'.repeat(24)}y" (character 101 of 101)`,
  ],
  ['things with names are listed by them', [{ method: 'GET', target: '/a' }], [], '1: [GET /a]', '0: []'],
  ['other lists are shown as they are', [1], [1, 2], '[1]', '[1,2]'],
  ['an absent value is nothing', 1, undefined, '1', 'nothing'],
])('%s', (_, ...[expected, actual, left, right]) => {
  expect(difference(expected, actual)).toEqual({ expected: left, actual: right });
});

test('the nearest name is one that could have been meant', () => {
  expect(editDistance('titel', 'title')).toBe(1);
  expect(editDistance('', 'abc')).toBe(3);
  expect(nearest('titel', ['title', 'peers'])).toBe('title');
  expect(nearest('x', ['title', 'peers'])).toBeUndefined();
});
