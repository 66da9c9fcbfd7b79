import { AuthoringError } from './authoring-error.ts';
import type { Check, Path } from './check.ts';
import { isObject } from './json.ts';
import { repetition } from './matchers/times.ts';
import type { Match, MatchContext } from './matchers/matcher.ts';
import { label, naming } from './label.ts';
import { show } from './show.ts';

export interface SequenceOptions {
  /** Whether items that no entry names may stand in between (trace events) or not (lists). */
  readonly open: boolean;
  /** The comparison, handed in because it uses this file itself. */
  readonly match: Match;
}

/** An entry of an ordered expectation: how often an item that matches `of` stands at this place. */
interface Entry {
  readonly of: unknown;
  readonly least: number;
  readonly most: number;
  /** Written with `~maybe` or `~times`: items that match it may stand nowhere else. */
  readonly counted: boolean;
  readonly at: Path;
}

/** How the entries and the items were walked: the entry each item went to, and how far the best try came. */
interface Walk {
  readonly placed: readonly (number | undefined)[] | undefined;
  readonly stoppedAt: { readonly entry: number; readonly item: number };
}

/** What is compared with what. */
interface Comparison {
  readonly entries: readonly Entry[];
  readonly items: readonly unknown[];
  readonly context: MatchContext;
  readonly match: Match;
}

/** Whether a list entry says how often its item occurs. */
export function isCounted(entry: unknown): boolean {
  return isObject(entry) && ('~maybe' in entry || '~times' in entry);
}

/**
 * Matches items against entries in order. `~maybe` is none or one, `~times` a stated number, anything else exactly
 * one. In an open sequence items that no counted entry describes may stand anywhere; an item that one does describe
 * must stand at its place. One check per entry; the failing one says after which item it was missed.
 */
export function matchSequence(
  expected: readonly unknown[],
  items: readonly unknown[],
  context: MatchContext,
  options: SequenceOptions,
): Check[] {
  const entries = expected.map((written, index) => toEntry(written, [...context.at, index]));
  const table = entries.map((entry) => items.map((item) => fits(entry, item, context, options.match)));
  const walk = walkThrough(entries, items.length, table, options.open);
  const comparison = { entries, items, context, match: options.match };
  return walk.placed === undefined ? explain(comparison, walk.stoppedAt) : confirm(comparison, walk.placed);
}

function toEntry(written: unknown, at: Path): Entry {
  if (!isObject(written)) return { of: written, least: 1, most: 1, counted: false, at };
  if ('~maybe' in written) return { of: written['~maybe'], least: 0, most: 1, counted: true, at: [...at, '~maybe'] };
  if (!('~times' in written)) return { of: written, least: 1, most: 1, counted: false, at };
  const bounds = repetition(written['~times']);
  if (bounds === undefined || !('of' in written)) {
    throw new AuthoringError(
      '~times takes a number (or {~ge: n}, {~le: n}, {~between: [a, b]}) and the item under `of`',
      at,
    );
  }
  return { of: written['of'], least: bounds[0], most: bounds[1], counted: true, at: [...at, 'of'] };
}

function fits(entry: Entry, item: unknown, context: MatchContext, match: Match): boolean {
  const trial = { ...context, at: entry.at, captures: new Map(context.captures), root: item };
  return match(entry.of, item, trial).every((check) => check.ok);
}

/** Depth first over (entry, times used, item), each state tried once. */
function walkThrough(
  entries: readonly Entry[],
  count: number,
  table: readonly (readonly boolean[])[],
  open: boolean,
): Walk {
  const seen = new Set<string>();
  const placed: (number | undefined)[] = [];
  let stoppedAt = { entry: 0, item: 0 };
  const free = (item: number): boolean =>
    open && !entries.some((entry, index) => entry.counted && table[index]?.[item] === true);
  const walk = (entry: number, used: number, item: number): boolean => {
    const state = `${entry} ${used} ${item}`;
    if (seen.has(state)) return false;
    seen.add(state);
    // Where an entry was first looked for says most; behind the last one, the item that is too many.
    const further = entry === entries.length && item > stoppedAt.item;
    if (entry > stoppedAt.entry || further) stoppedAt = { entry, item };
    const current = entries[entry];
    if (current === undefined && item === count) return true;
    if (current !== undefined && (take(current, entry, used, item) || leave(current, entry, used, item))) return true;
    if (item >= count || !free(item)) return false;
    placed[item] = undefined;
    return walk(entry, used, item + 1);
  };
  const take = ({ most }: Entry, entry: number, used: number, item: number): boolean => {
    if (item >= count || used >= most || table[entry]?.[item] !== true) return false;
    placed[item] = entry;
    return walk(entry, used + 1, item + 1);
  };
  const leave = ({ least }: Entry, entry: number, used: number, item: number): boolean =>
    used >= least && walk(entry + 1, 0, item);
  return walk(0, 0, 0) ? { placed, stoppedAt } : { placed: undefined, stoppedAt };
}

/** Every entry found its items: they are matched once more, now keeping the captures. */
function confirm({ entries, items, context, match }: Comparison, placed: readonly (number | undefined)[]): Check[] {
  for (const [index, item] of items.entries()) {
    const entry = entries[placed[index] ?? -1];
    if (entry !== undefined) match(entry.of, item, { ...context, at: entry.at, root: item });
  }
  return entries.map((entry, index) => {
    const count = placed.filter((place) => place === index).length;
    return entryCheck(entry, index, foundTimes(count), context);
  });
}

/** The entries before the one that was missed are fine; what stands in its place is said as closely as possible. */
function explain(comparison: Comparison, stoppedAt: Walk['stoppedAt']): Check[] {
  const { entries, items, context } = comparison;
  const found = entries
    .slice(0, stoppedAt.entry)
    .map((entry, index) => entryCheck(entry, index, foundTimes(1), context));
  const missed = entries[stoppedAt.entry];
  if (missed === undefined) return [...found, extraItem(items, stoppedAt.item, context)];
  const actual = standsThere(missed, stoppedAt, comparison);
  return [...found, entryCheck(missed, stoppedAt.entry, { ok: false, actual }, context)];
}

function extraItem(items: readonly unknown[], item: number, context: MatchContext): Check {
  return {
    at: context.at,
    what: `${context.what}[${item}]`,
    ok: false,
    expected: 'nothing here',
    actual: show(items[item]),
    ...softOf(context),
  };
}

function standsThere(missed: Entry, stoppedAt: Walk['stoppedAt'], { items, context, match }: Comparison): string {
  const rest = items.slice(stoppedAt.item);
  const after =
    stoppedAt.item === 0 ? 'at the start' : `after item ${stoppedAt.item} ${label(items[stoppedAt.item - 1])}`;
  const alike = rest.find((item) => naming(item) !== undefined && naming(item) === naming(missed.of));
  const trial = { ...context, at: missed.at, captures: new Map(context.captures) };
  const wrong =
    alike === undefined
      ? undefined
      : match(missed.of, alike, { ...trial, what: 'its', root: alike }).find((check) => !check.ok);
  const detail =
    wrong === undefined
      ? ''
      : `; the next ${label(alike)} differs: ${wrong.what} is ${wrong.actual}, not ${wrong.expected}`;
  const list = rest.length === 0 ? 'nothing' : rest.slice(0, 12).map(label).join(', ');
  return `${after} came ${list}${rest.length > 12 ? ', …' : ''}${detail}`;
}

function foundTimes(count: number): Pick<Check, 'ok' | 'actual'> {
  return { ok: true, actual: count === 1 ? 'found' : `found ${count} times` };
}

function entryCheck(entry: Entry, index: number, seen: Pick<Check, 'ok' | 'actual'>, context: MatchContext): Check {
  return {
    at: entry.at,
    what: `${context.what} entry ${index + 1}`,
    expected: show(entry.of),
    ...seen,
    ...softOf(context),
  };
}

function softOf({ soft }: MatchContext): Pick<Check, 'soft'> {
  return soft === undefined ? {} : { soft };
}
