import { isList, jsonEquals } from '../json.ts';
import { show } from '../show.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const isIn: Matcher = {
  name: '~in',
  text: 'equals one of the values',
  problem: (argument) => (isList(argument) && argument.length > 0 ? undefined : 'takes a list of values'),
  check: (use) =>
    one(
      use,
      isList(use.argument) && use.argument.some((value) => jsonEquals(value, use.actual)),
      `one of ${show(use.argument)}`,
    ),
};
