import { AuthoringError } from './authoring-error.ts';
import type { Check, Path } from './check.ts';
import { isObject } from './json.ts';
import type { JsonObject } from './json.ts';
import { match } from './match.ts';
import type { MatchContext } from './matchers/matcher.ts';
import { show } from './show.ts';
import { lookup } from './variables.ts';

type Invariant = (argument: unknown, events: readonly unknown[], context: MatchContext, written: JsonObject) => Check[];

/** What can be said about a list of events as a whole, by the key that says it. */
export const INVARIANTS: Readonly<
  Record<string, { readonly text: string; readonly with?: string; readonly judge: Invariant }>
> = {
  nonDecreasing: { text: 'the numbers at this path never go down', judge: nonDecreasing },
  notAfter: { text: 'of two paths the first number is never greater than the second', judge: notAfter },
  before: {
    text: 'of two paths the first number is less than the second, in every event that matches `of`, and there is one',
    with: 'of',
    judge: before,
  },
  where: { text: 'every event that matches also matches `has`, and there is one', with: 'has', judge: whereHas },
  first: {
    text: 'the first event is of this type, or matches',
    judge: (wanted, events, context) => atPlace(wanted, events[0], 'first', context),
  },
  last: {
    text: 'the last event is of this type, or matches',
    judge: (wanted, events, context) => atPlace(wanted, events.at(-1), 'last', context),
  },
  none: { text: 'no event is of this type, or matches', judge: none },
  count: { text: 'the number of events that match `of` matches', with: 'of', judge: countOf },
};

/** Judges `invariants: [{nonDecreasing: eventEnd}, …]`. Throws `AuthoringError` for an unknown invariant. */
export function judgeInvariants(
  invariants: readonly unknown[],
  events: readonly unknown[],
  context: MatchContext,
): Check[] {
  return invariants.flatMap((written, index) => {
    const at = [...context.at, index];
    const key = isObject(written) ? Object.keys(written).find((name) => Object.hasOwn(INVARIANTS, name)) : undefined;
    const invariant = INVARIANTS[key ?? ''];
    if (!isObject(written) || key === undefined || invariant === undefined)
      throw new AuthoringError(unknownInvariant(), at);
    const inner = { ...context, at, what: `${context.what} ${key}` };
    return invariant.judge(written[key], events, inner, written);
  });
}

function unknownInvariant(): string {
  return `an invariant is one of ${Object.keys(INVARIANTS).join(', ')}`;
}

function nonDecreasing(path: unknown, events: readonly unknown[], context: MatchContext): Check[] {
  const numbers = events.map((event) => lookup(event, String(path))).filter((value) => typeof value === 'number');
  const drop = numbers.findIndex((value, index) => index > 0 && value < (numbers[index - 1] ?? 0));
  const actual = drop === -1 ? show(numbers) : `${numbers[drop]} after ${numbers[drop - 1]}`;
  return [check(numbers.length > 0 && drop === -1, `${String(path)} never goes down`, actual, context)];
}

/** Events that have only one of the two say nothing, as long as one event has both. */
function notAfter(paths: unknown, events: readonly unknown[], context: MatchContext): Check[] {
  const [from = '', to = ''] = Array.isArray(paths) ? paths.map(String) : [];
  const pairs = events.flatMap((event) => {
    const pair = [lookup(event, from), lookup(event, to)];
    return pair.every((value) => typeof value === 'number') ? [pair] : [];
  });
  const wrong = pairs.find(([start = 0, end = 0]) => start > end);
  const actual = wrong === undefined ? show(pairs) : `${wrong[0]} and ${wrong[1]}`;
  return [check(pairs.length > 0 && wrong === undefined, `${from} is never after ${to}`, actual, context)];
}

function before(paths: unknown, events: readonly unknown[], context: MatchContext, written: JsonObject): Check[] {
  const [from = '', to = ''] = Array.isArray(paths) ? paths.map(String) : [];
  const chosen = events.filter((event) => matches(asEvent(written['of']), event, context));
  const pairs = chosen.map((event) => [lookup(event, from), lookup(event, to)]);
  const holds = pairs.every(([start, end]) => typeof start === 'number' && typeof end === 'number' && start < end);
  return [check(chosen.length > 0 && holds, `${from} is before ${to}`, show(pairs), context)];
}

function whereHas(filter: unknown, events: readonly unknown[], context: MatchContext, written: JsonObject): Check[] {
  const chosen = events.filter((event) => matches(filter, event, context));
  if (chosen.length === 0) return [check(false, `an event ${show(filter)}`, typesOf(events), context)];
  const at: Path = [...context.at, 'has'];
  return chosen.flatMap((event, index) =>
    match(written['has'], event, { ...context, at, what: `${context.what}[${index}]`, root: event }),
  );
}

function atPlace(wanted: unknown, event: unknown, place: string, context: MatchContext): Check[] {
  return [
    check(matches(asEvent(wanted), event, context), `${place} is ${show(asEvent(wanted))}`, show(event), context),
  ];
}

function none(wanted: unknown, events: readonly unknown[], context: MatchContext): Check[] {
  const found = events.find((event) => matches(asEvent(wanted), event, context));
  return [
    check(found === undefined, `no ${show(asEvent(wanted))}`, found === undefined ? 'none' : show(found), context),
  ];
}

function countOf(wanted: unknown, events: readonly unknown[], context: MatchContext, written: JsonObject): Check[] {
  return match(wanted, events.filter((event) => matches(asEvent(written['of']), event, context)).length, context);
}

// `last: requestFinished` is short for `last: {type: requestFinished}`.
function asEvent(wanted: unknown): unknown {
  return typeof wanted === 'string' ? { type: wanted } : wanted;
}

function matches(expected: unknown, event: unknown, context: MatchContext): boolean {
  const trial = { ...context, captures: new Map(context.captures), root: event };
  return match(expected, event, trial).every((item) => item.ok);
}

function typesOf(events: readonly unknown[]): string {
  return show(events.map((event) => (isObject(event) ? event['type'] : event)));
}

function check(ok: boolean, expected: string, actual: string, context: MatchContext): Check {
  return {
    at: context.at,
    what: context.what,
    ok,
    expected,
    actual,
    ...(context.soft === undefined ? {} : { soft: context.soft }),
  };
}
