import { isObject } from '../json.ts';
import { boundsOf } from './between.ts';
import { onlyInLists } from './only-in-lists.ts';
import type { Matcher } from './matcher.ts';

export const times: Matcher = {
  name: '~times',
  text: 'in a list: the item under `of`, this many times (a number, {~ge: n}, {~le: n} or {~between: [a, b]})',
  modifiers: ['of'],
  problem: (argument) =>
    repetition(argument) === undefined ? 'takes a number, {~ge: n}, {~le: n} or {~between: [a, b]}' : undefined,
  check: (use) => onlyInLists('~times', use),
};

/** Smallest and largest number of times that an argument of `~times` allows; undefined when it is something else. */
export function repetition(argument: unknown): readonly [number, number] | undefined {
  if (typeof argument === 'number')
    return Number.isInteger(argument) && argument >= 0 ? [argument, argument] : undefined;
  if (!isObject(argument) || Object.keys(argument).length !== 1) return undefined;
  const { '~ge': least, '~le': most, '~between': bounds } = argument;
  if (typeof least === 'number') return [least, Number.POSITIVE_INFINITY];
  if (typeof most === 'number') return [0, most];
  return boundsOf(bounds);
}
