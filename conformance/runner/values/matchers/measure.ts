import { isList, isObject } from '../json.ts';
import { show } from '../show.ts';
import { one } from './matcher.ts';
import type { Matcher, MatcherUse } from './matcher.ts';

type Measure = (value: unknown) => number | undefined;

/** A matcher that compares quantities instead of their spelling: the argument is one, or a comparison of several. */
export function quantityMatcher(name: string, text: string, unit: string, measure: Measure): Matcher {
  return {
    name,
    text,
    problem: (argument) =>
      measureAll(argument, measure) === undefined ? `takes ${unit}, or a comparison such as {~ge: …}` : undefined,
    check: (use) => compare(use, unit, measure),
  };
}

function compare(use: MatcherUse, unit: string, measure: Measure): ReturnType<Matcher['check']> {
  const actual = measure(use.actual);
  const wanted = measureAll(use.argument, measure);
  if (actual === undefined || wanted === undefined) return one(use, false, `${unit} equal to ${show(use.argument)}`);
  const inner = use.match(wanted.value, actual, use.context);
  return one(
    use,
    inner.every((check) => check.ok),
    `${unit} equal to ${show(use.argument)}`,
  );
}

/** Replaces every quantity of an argument by its number: `{~between: [1s, 2s]}` becomes `{~between: [1000, 2000]}`. */
function measureAll(argument: unknown, measure: Measure): { readonly value: unknown } | undefined {
  if (isList(argument)) {
    const items = argument.map((item) => measureAll(item, measure));
    return items.includes(undefined) ? undefined : { value: items.map((item) => item?.value) };
  }
  if (isObject(argument)) {
    const members = Object.entries(argument).map(([key, item]) => [key, measureAll(item, measure)] as const);
    const known = members.every(([key, item]) => key.startsWith('~') && item !== undefined);
    return known ? { value: Object.fromEntries(members.map(([key, item]) => [key, item?.value])) } : undefined;
  }
  const value = measure(argument);
  return value === undefined ? undefined : { value };
}
