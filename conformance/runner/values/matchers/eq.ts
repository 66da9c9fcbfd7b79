import { jsonEquals } from '../json.ts';
import { show } from '../show.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const eq: Matcher = {
  name: '~eq',
  text: 'equals the value exactly, also where the value looks like a matcher',
  check: (use) => one(use, jsonEquals(use.actual, use.argument), show(use.argument)),
};
