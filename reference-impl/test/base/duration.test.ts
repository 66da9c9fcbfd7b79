import { expect, test } from 'vitest';
import { parseDuration } from '../../base/duration.ts';

test.each([
  ['3s', 3000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1s500ms', 1500],
  ['0s', 0],
  ['99999h', 359_996_400_000],
])('%s is %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(['', '3', 's', '1.5s', '-1s', '3 s', '3sec', '100000s', '1h1m1s1ms1s', ' 3s', '3s\n'])(
  '%j is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
