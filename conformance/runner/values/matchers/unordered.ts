import { isList } from '../json.ts';
import { show } from '../show.ts';
import { assign } from './assign.ts';
import { holds, one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const unordered: Matcher = {
  name: '~unordered',
  text: 'is a list of exactly these items in any order',
  problem: (argument) => (isList(argument) ? undefined : 'takes a list'),
  check: (use) => {
    const { argument, actual } = use;
    if (!isList(argument) || !isList(actual)) return one(use, false, `a list of ${show(argument)}`);
    const missing = assign(argument, actual, (wanted, item) => holds(use, wanted, item));
    return one(use, missing.length === 0 && argument.length === actual.length, `in any order ${show(argument)}`);
  },
};
