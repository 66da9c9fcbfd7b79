import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const statusClass: Matcher = {
  name: '~class',
  text: 'is a status code of this class, such as 4xx',
  problem: (argument) => (/^[1-5]xx$/.test(String(argument)) ? undefined : 'takes 1xx, 2xx, 3xx, 4xx or 5xx'),
  check: (use) => one(use, inClass(use.actual, Number(String(use.argument)[0])), `a status ${String(use.argument)}`),
};

function inClass(actual: unknown, hundreds: number): boolean {
  return typeof actual === 'number' && Math.floor(actual / 100) === hundreds;
}
