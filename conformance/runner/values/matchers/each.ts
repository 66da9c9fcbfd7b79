import { isList } from '../json.ts';
import { show } from '../show.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const each: Matcher = {
  name: '~each',
  text: 'is a list with at least one item, and each item matches',
  check: (use) => {
    // An empty list would satisfy every expectation and prove none.
    if (!isList(use.actual) || use.actual.length === 0) return one(use, false, `a list of ${show(use.argument)}`);
    return use.actual.flatMap((item, index) =>
      use.match(use.argument, item, { ...use.context, what: `${use.context.what}[${index}]` }),
    );
  },
};
