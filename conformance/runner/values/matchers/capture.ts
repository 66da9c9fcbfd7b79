import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const capture: Matcher = {
  name: '~capture',
  text: 'is there, and is kept under this name as a variable for later steps',
  problem: (argument) =>
    typeof argument === 'string' && /^[A-Za-z][\w-]*$/.test(argument) ? undefined : 'takes the name of a variable',
  check: (use) => {
    if (use.actual !== undefined) use.context.captures.set(String(use.argument), use.actual);
    return one(use, use.actual !== undefined, 'any value');
  },
};
