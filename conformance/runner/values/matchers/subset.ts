import { isList } from '../json.ts';
import { show } from '../show.ts';
import { assign } from './assign.ts';
import { holds, one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const subset: Matcher = {
  name: '~subset',
  text: 'an object may have more members; a list may have more items, in any order',
  check: (use) => {
    const { argument, actual, context } = use;
    if (!isList(argument)) return use.match(argument, actual, { ...context, mode: 'subset' });
    const loose = { match: use.match, context: { ...context, mode: 'subset' as const } };
    const missing = isList(actual) ? assign(argument, actual, (wanted, item) => holds(loose, wanted, item)) : argument;
    return one(use, missing.length === 0, `a list with ${show(missing.length === 0 ? argument : missing)}`);
  },
};
