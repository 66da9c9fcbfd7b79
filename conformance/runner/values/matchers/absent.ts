import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const absent: Matcher = {
  name: '~absent',
  text: 'is not there; with `false`: is there',
  problem: (argument) => (typeof argument === 'boolean' ? undefined : 'takes true or false'),
  check: (use) => one(use, (use.actual === undefined) === use.argument, use.argument === true ? 'nothing' : 'a value'),
};
