import type { Check } from '../check.ts';
import { isList } from '../json.ts';
import { show } from '../show.ts';
import { holds, one } from './matcher.ts';
import type { Matcher, MatcherUse } from './matcher.ts';

export const contains: Matcher = {
  name: '~contains',
  text: 'is a list with an item that matches (with a list: one for each), or a text with this part',
  check: (use) => {
    if (typeof use.actual === 'string') {
      return one(use, use.actual.includes(String(use.argument)), `text containing ${show(use.argument)}`);
    }
    const { actual } = use;
    if (!isList(actual)) return one(use, false, `a list containing ${show(use.argument)}`);
    return (isList(use.argument) ? use.argument : [use.argument]).flatMap((wanted) => findOne(use, wanted, actual));
  },
};

function findOne(use: MatcherUse, wanted: unknown, items: readonly unknown[]): Check[] {
  const index = items.findIndex((item) => holds(use, wanted, item));
  if (index === -1) return one(use, false, `a list containing ${show(wanted)}`);
  return use.match(wanted, items[index], { ...use.context, what: `${use.context.what}[${index}]` });
}
