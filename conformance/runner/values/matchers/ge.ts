import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const ge: Matcher = {
  name: '~ge',
  text: 'is a number at least this one',
  problem: (argument) => (typeof argument === 'number' ? undefined : 'takes a number'),
  check: (use) =>
    one(
      use,
      typeof use.actual === 'number' && use.actual >= Number(use.argument),
      `a number >= ${String(use.argument)}`,
    ),
};
