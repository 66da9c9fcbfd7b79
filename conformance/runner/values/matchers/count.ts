import { isList } from '../json.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const count: Matcher = {
  name: '~count',
  text: 'is a list whose number of items matches',
  check: (use) => {
    if (!isList(use.actual)) return one(use, false, 'a list');
    return use.match(use.argument, use.actual.length, {
      ...use.context,
      what: `${use.context.what} count`,
      root: use.actual,
    });
  },
};
