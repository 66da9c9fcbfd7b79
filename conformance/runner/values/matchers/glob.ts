import { globExpression } from '../glob.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const glob: Matcher = {
  name: '~glob',
  text: 'is a text of this form, where * stands for any characters and ? for one',
  problem: (argument) => (typeof argument === 'string' ? undefined : 'takes a text'),
  check: (use) =>
    one(
      use,
      typeof use.actual === 'string' && globExpression(String(use.argument)).test(use.actual),
      `text like ${String(use.argument)}`,
    ),
};
