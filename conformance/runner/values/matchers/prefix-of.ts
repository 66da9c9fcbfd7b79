import { show } from '../show.ts';
import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const prefixOf: Matcher = {
  name: '~prefixOf',
  text: 'is a beginning of the text; the empty text is one only of the empty text',
  problem: (argument) => (typeof argument === 'string' ? undefined : 'takes a text'),
  check: (use) => one(use, isPrefix(use.actual, String(use.argument)), `a beginning of ${show(use.argument)}`),
};

// An empty beginning would say nothing about a body that was there.
function isPrefix(actual: unknown, whole: string): boolean {
  return typeof actual === 'string' && whole.startsWith(actual) && (actual !== '' || whole === '');
}
