import type { Matcher } from './matcher.ts';

export const exact: Matcher = {
  name: '~exact',
  text: 'matches, and no object in it has members that are not named',
  check: (use) => use.match(use.argument, use.actual, { ...use.context, mode: 'exact' }),
};
