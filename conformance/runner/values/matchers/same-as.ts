import { lookup } from '../variables.ts';
import { jsonEquals } from '../json.ts';
import { show } from '../show.ts';
import { one } from './matcher.ts';
import type { Matcher, MatcherUse } from './matcher.ts';

export const sameAs: Matcher = {
  name: '~sameAs',
  text: 'equals the member of the same observation at this path, or the capture of this name',
  problem: (argument) => (typeof argument === 'string' ? undefined : 'takes a path'),
  check: (use) => {
    const other = otherValue(use, String(use.argument));
    const ok = other !== undefined && jsonEquals(other, use.actual);
    return one(use, ok, `the same as ${String(use.argument)}, which is ${show(other)}`);
  },
};

function otherValue({ context }: MatcherUse, path: string): unknown {
  return lookup(context.root, path) ?? context.captures.get(path) ?? lookup(context.scope, path);
}
