import { jsonEquals } from '../json.ts';
import { show } from '../show.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const ne: Matcher = {
  name: '~ne',
  text: 'is present and differs from the value',
  check: (use) =>
    one(use, use.actual !== undefined && !jsonEquals(use.actual, use.argument), `not ${show(use.argument)}`),
};
