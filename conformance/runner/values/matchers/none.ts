import { isList } from '../json.ts';
import { show } from '../show.ts';
import { holds, one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const none: Matcher = {
  name: '~none',
  text: 'is a list in which no item matches',
  check: (use) =>
    one(
      use,
      isList(use.actual) && !use.actual.some((item) => holds(use, use.argument, item)),
      `a list without ${show(use.argument)}`,
    ),
};
