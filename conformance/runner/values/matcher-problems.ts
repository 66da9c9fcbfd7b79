import type { Path } from './check.ts';
import { isList, isObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { isMatcher, unknownMatcher } from './match.ts';
import { matcherNamed } from './matchers/registry.ts';
import { show } from './show.ts';

/** `key` tells that the name of the matcher is wrong, not its argument. */
export interface MatcherProblem {
  readonly at: Path;
  readonly key?: 'key';
  readonly message: string;
}

/** What is wrong with the matchers of an expectation, without a value to compare: names, arguments, strays. */
export function matcherProblems(expected: unknown, at: Path): readonly MatcherProblem[] {
  if (isList(expected)) return expected.flatMap((item, index) => matcherProblems(item, [...at, index]));
  if (!isObject(expected)) return [];
  const inner = Object.entries(expected).flatMap(([key, value]) =>
    key === '~eq' || key === '~in' ? [] : matcherProblems(value, [...at, key]),
  );
  return isMatcher(expected) ? [...ownProblems(expected, at), ...inner] : inner;
}

function ownProblems(written: JsonObject, at: Path): readonly MatcherProblem[] {
  // What stands beside ~if is the entry itself.
  const modifiers = '~if' in written ? undefined : allowedBeside(written);
  return Object.entries(written).flatMap(([key, argument]) => {
    if (!key.startsWith('~') || key.startsWith('~~')) {
      return modifiers === undefined || modifiers.has(key)
        ? []
        : [{ at: [...at, key], key: 'key', message: `"${key}" stands beside a matcher; only ~ keys may` }];
    }
    const matcher = matcherNamed(key);
    if (matcher === undefined) return [{ at: [...at, key], key: 'key', message: unknownMatcher(key) }];
    const problem = isOpen(argument) ? undefined : matcher.problem?.(argument);
    return problem === undefined ? [] : [{ at: [...at, key], message: `${key} ${problem}, not ${show(argument)}` }];
  });
}

function allowedBeside(written: JsonObject): ReadonlySet<string> {
  return new Set(Object.keys(written).flatMap((key) => matcherNamed(key)?.modifiers ?? []));
}

function isOpen(argument: unknown): boolean {
  return show(argument, Number.POSITIVE_INFINITY).includes('${');
}
