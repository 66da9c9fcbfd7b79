import { AuthoringError } from './authoring-error.ts';
import type { Check } from './check.ts';
import { difference } from './diff.ts';
import { isList, isObject, jsonEquals } from './json.ts';
import type { JsonObject } from './json.ts';
import { matcherNamed, MATCHERS } from './matchers/registry.ts';
import type { Matcher, MatchContext } from './matchers/matcher.ts';
import { nearest } from './nearest.ts';
import { isCounted, matchSequence } from './sequence.ts';
import { show } from './show.ts';

/**
 * Compares an expectation with what was seen and returns one check per thing looked at. Objects are subsets unless
 * the mode is exact, lists are exact, a key that starts with `~` is a matcher and `~~` writes a literal `~`.
 * Placeholders must be filled before. Throws `AuthoringError` for an unknown matcher or a bad argument.
 */
export function match(expected: unknown, actual: unknown, context: MatchContext): Check[] {
  const rooted = 'root' in context ? context : { ...context, root: actual };
  if (isList(expected)) return matchList(expected, actual, rooted);
  if (!isObject(expected)) return [leaf(jsonEquals(expected, actual), expected, actual, rooted)];
  return isMatcher(expected) ? runMatchers(expected, actual, rooted) : matchObject(expected, actual, rooted);
}

/** Whether an object of an expectation is a matcher and not a literal object. */
export function isMatcher(value: JsonObject): boolean {
  return Object.keys(value).some((key) => key.startsWith('~') && !key.startsWith('~~'));
}

function matchObject(expected: JsonObject, actual: unknown, context: MatchContext): Check[] {
  if (!isObject(actual)) return [leaf(false, expected, actual, context)];
  const named = Object.entries(expected).map(([key, value]) => ({ key, name: literalKey(key), value }));
  const checks = named.flatMap(({ key, name, value }) => {
    const inner = { ...context, at: [...context.at, key], what: memberPath(context.what, name) };
    return match(value, Object.hasOwn(actual, name) ? actual[name] : undefined, inner);
  });
  const extra =
    context.mode === 'exact' ? unexpectedMembers(new Set(named.map(({ name }) => name)), actual, context) : [];
  // An empty object still says something: that an object is there.
  return named.length === 0 && extra.length === 0 ? [leaf(true, expected, actual, context)] : [...checks, ...extra];
}

function literalKey(key: string): string {
  return key.startsWith('~~') ? key.slice(1) : key;
}

function memberPath(what: string, name: string): string {
  return what === '' || what.endsWith(': ') ? `${what}${name}` : `${what}.${name}`;
}

function unexpectedMembers(named: ReadonlySet<string>, actual: JsonObject, context: MatchContext): Check[] {
  return Object.keys(actual)
    .filter((name) => !named.has(name) && actual[name] !== undefined)
    .map((name) => leaf(false, undefined, actual[name], { ...context, what: memberPath(context.what, name) }));
}

function matchList(expected: readonly unknown[], actual: unknown, context: MatchContext): Check[] {
  if (!isList(actual)) return [leaf(false, expected, actual, context)];
  if (expected.some(isCounted)) return matchSequence(expected, actual, context, { open: false, match });
  const items = expected
    .slice(0, actual.length)
    .flatMap((item, index) =>
      match(item, actual[index], { ...context, at: [...context.at, index], what: `${context.what}[${index}]` }),
    );
  if (expected.length === actual.length && items.length > 0) return items;
  const count = leaf(expected.length === actual.length, expected, actual, context);
  return [...items, count];
}

function runMatchers(expected: JsonObject, actual: unknown, context: MatchContext): Check[] {
  const matchers = Object.keys(expected).flatMap((key) => (key.startsWith('~') ? [requireMatcher(key, context)] : []));
  const allowed = new Set(matchers.flatMap((matcher) => matcher.modifiers ?? []));
  const stray = Object.keys(expected).find((key) => !key.startsWith('~') && !allowed.has(key));
  if (stray !== undefined) throw new AuthoringError(`"${stray}" stands beside a matcher; only ~ keys may`, context.at);
  return matchers.flatMap((matcher) => runMatcher(matcher, expected, actual, context));
}

function runMatcher(matcher: Matcher, written: JsonObject, actual: unknown, context: MatchContext): Check[] {
  const argument = written[matcher.name];
  const at = [...context.at, matcher.name];
  const problem = matcher.problem?.(argument);
  if (problem !== undefined) throw new AuthoringError(`${matcher.name} ${problem}, not ${show(argument)}`, at);
  return matcher.check({ argument, actual, written, context: { ...context, at }, match });
}

function requireMatcher(key: string, context: MatchContext): Matcher {
  const matcher = matcherNamed(key);
  if (matcher === undefined) throw new AuthoringError(unknownMatcher(key), [...context.at, key]);
  return matcher;
}

/** What to say about a `~` key that is none of the matchers. */
export function unknownMatcher(key: string): string {
  const names = MATCHERS.map((matcher) => matcher.name);
  const hint = nearest(key, names);
  return `unknown matcher ${key}${hint === undefined ? `; known are ${names.join(' ')}` : `, did you mean ${hint}?`}`;
}

function leaf(ok: boolean, expected: unknown, actual: unknown, context: MatchContext): Check {
  const soft = context.soft === undefined ? {} : { soft: context.soft };
  return { at: context.at, what: context.what, ok, ...difference(expected, actual), ...soft };
}
