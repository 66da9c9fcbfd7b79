import { onlyInLists } from './only-in-lists.ts';
import type { Matcher } from './matcher.ts';

export const maybe: Matcher = {
  name: '~maybe',
  text: 'in a list: an item that may be missing',
  check: (use) => onlyInLists('~maybe', use),
};
