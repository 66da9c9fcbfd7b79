import { isList, isObject } from '../json.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const len: Matcher = {
  name: '~len',
  text: 'has a length (characters, items, members) that matches',
  check: (use) => {
    const length = lengthOf(use.actual);
    if (length === undefined) return one(use, false, 'something with a length');
    return use.match(use.argument, length, { ...use.context, what: `${use.context.what}.length`, root: use.actual });
  },
};

function lengthOf(value: unknown): number | undefined {
  if (typeof value === 'string' || isList(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}
