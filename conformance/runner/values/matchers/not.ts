import { show } from '../show.ts';
import { holds, one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const not: Matcher = {
  name: '~not',
  text: 'does not match; an absent value matches nothing, so it is fine',
  check: (use) => one(use, !holds(use, use.argument, use.actual), `not ${show(use.argument)}`),
};
