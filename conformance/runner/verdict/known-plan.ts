import { globExpression } from '../values/glob.ts';
import { names, type KnownFailure } from './known-failures.ts';
import { countAsListed, LISTABLE, type Fault, type Listable, type Verdict } from './verdict.ts';

/** What an earlier run saw of a case; the same case comes several times when the run repeated it. */
export interface SeenResult {
  readonly id: string;
  readonly verdict: Verdict;
  readonly reason?: string | undefined;
  readonly fault?: Fault | undefined;
}

/** An entry that a list of known failures lacks. */
export interface MissingEntry {
  readonly case: string;
  readonly verdict: Listable;
  /** How many cases it is for, and what the first of them said. */
  readonly count: number;
  readonly said: string;
}

/** What a run says about a list of known failures. */
export interface KnownPlan {
  readonly missing: readonly MissingEntry[];
  /** Cases that passed although they are listed. */
  readonly stale: readonly { readonly entry: KnownFailure; readonly id: string }[];
  /** Cases that came out in another way than they are listed. */
  readonly otherwise: readonly { readonly entry: KnownFailure; readonly id: string; readonly came: string }[];
  /** Entries that name no case of the suite. */
  readonly unmatched: readonly KnownFailure[];
  /** Cases that did not pass and are none of the suite: the report is of another version or of other cases. */
  readonly foreign: readonly string[];
}

/** Holds a list against what a run saw. `ids` are those of all cases of the suite, by case without its rows. */
export function planKnown(
  entries: readonly KnownFailure[],
  results: readonly SeenResult[],
  ids: ReadonlyMap<string, readonly string[]>,
): KnownPlan {
  const all = new Set([...ids.values()].flat());
  const seen = [...Map.groupBy(results, ({ id }) => id).values()].map(overRounds);
  const entryFor = (id: string): KnownFailure | undefined => entries.find((entry) => names(entry, id));
  const red = seen.flatMap((result) => (isListable(result) ? [result] : []));
  const listed = seen.flatMap((result) => {
    const entry = entryFor(result.id);
    return entry === undefined ? [] : [{ entry, result, now: asListed(result, entry) }];
  });
  return {
    missing: asEntries(
      red.filter(({ id }) => entryFor(id) === undefined),
      ids,
    ),
    stale: listed.flatMap(({ entry, result: { id }, now }) => (now === 'stale' ? [{ entry, id }] : [])),
    otherwise: listed.flatMap(({ entry, result: { id, verdict, reason = '' }, now }) =>
      LISTABLE.some((listable) => listable === now) ? [{ entry, id, came: `${verdict}: ${reason}` }] : [],
    ),
    unmatched: entries.filter((entry) => ![...all].some((id) => names(entry, id))),
    foreign: red.flatMap(({ id }) => (all.has(id) ? [] : [id])),
  };
}

/** What a result counts as by an entry, whether the run had the list or not. */
function asListed({ verdict, reason = '', fault }: SeenResult, entry: KnownFailure): Verdict {
  if (verdict === 'unstable') return entry.verdict === 'unstable' ? 'known' : 'unstable';
  return countAsListed({ verdict, reason, fault }, { known: entry, checks: [] }).verdict;
}

type Red = SeenResult & { readonly verdict: Listable };

/** A mistake of the case is nobody's known failure. */
function isListable(result: SeenResult): result is Red {
  return LISTABLE.some((verdict) => verdict === result.verdict) && result.fault !== 'case';
}

/** One result for all rounds of a case: unstable when they differ. */
function overRounds(rounds: readonly SeenResult[]): SeenResult {
  const verdicts = [...new Set(rounds.map(({ verdict }) => verdict))];
  const red = rounds.find(isListable);
  if (red === undefined || verdicts.length === 1) return red ?? rounds[0] ?? NOTHING;
  const counts = verdicts.map((verdict) => `${rounds.filter((one) => one.verdict === verdict).length} ${verdict}`);
  return { ...red, verdict: 'unstable', reason: `${counts.join(', ')}; ${red.reason ?? ''}` };
}

const NOTHING: SeenResult = { id: '', verdict: 'skipped' };

/** One entry for all rows of a case where all came out the same way, otherwise one each. */
function asEntries(red: readonly Red[], ids: ReadonlyMap<string, readonly string[]>): readonly MissingEntry[] {
  const left = new Map(red.map((one) => [one.id, one]));
  return [...ids.values()].flatMap((rows) => {
    const own = rows.flatMap((id) => left.get(id) ?? []);
    const [first] = own;
    if (first === undefined) return [];
    const isWhole = own.length === rows.length && own.every(({ verdict }) => verdict === first.verdict);
    const glob = isWhole && own.length > 1 ? globOver(rows, [...ids.values()].flat()) : undefined;
    return glob === undefined ? own.map((one) => entryOf(one.id, [one])) : [entryOf(glob, own)];
  });
}

function entryOf(id: string, [first, ...others]: readonly Red[]): MissingEntry {
  const { verdict = 'fail', reason = '' } = first ?? {};
  return { case: id, verdict, count: others.length + 1, said: reason };
}

/** A glob that names the rows of a case and nothing else. */
function globOver(rows: readonly string[], all: readonly string[]): string | undefined {
  const base = rows[0]?.split(/[[@]/)[0] ?? '';
  return [`${base}[*]`, `${base}@*`, `${base}[*]@*`].find((glob) => {
    const expression = globExpression(glob);
    return all.every((id) => expression.test(id) === rows.includes(id));
  });
}
