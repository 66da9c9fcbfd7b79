import { isList } from '../json.ts';
import { show } from '../show.ts';
import { holds, one } from './matcher.ts';
import type { Matcher, MatcherUse } from './matcher.ts';

export const any: Matcher = {
  name: '~any',
  text: 'matches one of the expectations; with `true`: is there, whatever it is',
  problem: (argument) =>
    argument === true || (isList(argument) && argument.length > 0)
      ? undefined
      : 'takes a list of expectations, or true',
  check: (use) => (isList(use.argument) ? anyOf(use, use.argument) : one(use, use.actual !== undefined, 'any value')),
};

// The branch that holds is matched again for its captures.
function anyOf(use: MatcherUse, branches: readonly unknown[]): ReturnType<Matcher['check']> {
  const branch = branches.find((candidate) => holds(use, candidate, use.actual));
  return branch === undefined
    ? one(use, false, `any of ${show(branches)}`)
    : use.match(branch, use.actual, use.context);
}
