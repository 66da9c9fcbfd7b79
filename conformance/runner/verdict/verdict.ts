import { isFailure } from '../values/check.ts';
import type { Check } from '../values/check.ts';

/** What became of a case. Only `pass` counts for conformance. */
export const VERDICTS = [
  'pass',
  'fail',
  'inconclusive',
  'unsupported',
  'known',
  'stale',
  'error',
  'skipped',
  'observe',
  'unstable',
  'blocked',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** How much a case weighs: `must` gates, `should` is reported, `observe` records an answer and never fails. */
export type Level = 'must' | 'should' | 'observe';

/** Who is to blame for an `error`. */
export type Fault = 'case' | 'implementation' | 'harness';

/** Everything a verdict is decided from. */
export interface Evidence {
  readonly level: Level;
  /** The user left the case out, and why. */
  readonly skipped?: string;
  /** Features the case needs and the manifest does not declare as `yes`. */
  readonly undeclared: readonly string[];
  /** The case could not be run to its end. */
  readonly broken?: { readonly fault: Fault; readonly message: string };
  readonly checks: readonly Check[];
  /** Checks of control steps: they must hold before anything else means something. */
  readonly controls: readonly Check[];
  /** One check per witness of the case. */
  readonly witnesses: readonly Check[];
  /** The entry of the known-failures file that matches the case id. */
  readonly known?: Listing | undefined;
}

/** How a case that is known not to pass comes out: the same way every time, or `unstable`, now this way and now that way. */
export const LISTABLE = ['fail', 'inconclusive', 'error', 'unstable'] as const;
export type Listable = (typeof LISTABLE)[number];

/** What a known-failures file says of a case. */
export interface Listing {
  readonly verdict: Listable;
  readonly reason: string;
  /** Stands in what the failure says. */
  readonly message?: string | undefined;
}

export interface Decision {
  readonly verdict: Verdict;
  /** One line for people; empty for a pass. */
  readonly reason: string;
  /** Set for `error`. */
  readonly fault?: Fault | undefined;
}

interface Row {
  readonly verdict: Verdict;
  /** The reason when the row applies, otherwise undefined. */
  readonly reason: (evidence: Evidence) => string | undefined;
}

/** The first row that gives a reason decides. */
const TABLE: readonly Row[] = [
  { verdict: 'skipped', reason: (evidence) => evidence.skipped },
  { verdict: 'unsupported', reason: undeclaredFeatures },
  { verdict: 'error', reason: (evidence) => evidence.broken?.message },
  { verdict: 'inconclusive', reason: failedControl },
  { verdict: 'error', reason: nothingChecked },
  { verdict: 'inconclusive', reason: missingWitness },
  { verdict: 'observe', reason: onlyRecorded },
  { verdict: 'fail', reason: failedCheck },
  { verdict: 'pass', reason: () => '' },
];

/** The verdict of a case: the table above decides from what was seen, and a list of known failures says what that counts as. */
export function decide(evidence: Evidence): Decision {
  return countAsListed(decideUnlisted(evidence), evidence);
}

function decideUnlisted(evidence: Evidence): Decision {
  for (const row of TABLE) {
    const reason = row.reason(evidence);
    if (reason === undefined) continue;
    if (row.verdict !== 'error') return { verdict: row.verdict, reason };
    return { verdict: 'error', reason, fault: evidence.broken?.fault ?? 'case' };
  }
  return { verdict: 'error', reason: 'no row of the verdict table applies', fault: 'harness' };
}

/** What a case may come out as when it is listed. An unstable one that passes has only passed this time. */
const COVERED: Readonly<Record<Listable, ReadonlySet<Verdict>>> = {
  fail: new Set(['fail']),
  inconclusive: new Set(['inconclusive']),
  error: new Set(['error']),
  unstable: new Set(['pass', 'fail', 'inconclusive', 'error']),
};

/**
 * What a decision counts as for a case that is known not to pass: `known` when it came out as listed, `stale` when it passed, otherwise
 * what it is. Whoever is wrong in an `error` of fault `case`, it is not the implementation, so no list covers it.
 */
export function countAsListed(decision: Decision, { known, checks }: Pick<Evidence, 'known' | 'checks'>): Decision {
  const { verdict, reason, fault } = decision;
  if (known === undefined || fault === 'case' || !COVERED.unstable.has(verdict)) return decision;
  const isCovered = COVERED[known.verdict].has(verdict);
  if (isCovered && (verdict === 'pass' || saysMessage(known, reason, checks)))
    return {
      verdict: 'known',
      reason: known.verdict === 'unstable' ? `${known.reason} (this time ${verdict})` : known.reason,
    };
  if (verdict === 'pass') return { verdict: 'stale', reason: `listed as known (${known.reason}) and passed` };
  const message = known.message === undefined ? '' : ` with "${known.message}"`;
  return { ...decision, reason: `${reason} (listed as known: ${known.verdict}${message})` };
}

function saysMessage({ message = '' }: Listing, reason: string, checks: readonly Check[]): boolean {
  return (
    reason.includes(message) || checks.some((check) => isFailure(check) && describeFailure(check).includes(message))
  );
}

/** What a failed check says in one line; the messages of known failures are looked for in it. */
export function describeFailure(check: Check): string {
  return `${check.what}: expected ${check.expected}, got ${check.actual}`;
}

function undeclaredFeatures({ undeclared }: Evidence): string | undefined {
  return undeclared.length === 0 ? undefined : `needs ${undeclared.join(', ')}`;
}

function failedControl({ controls }: Evidence): string | undefined {
  const failed = controls.find(isFailure);
  return failed && `control failed: ${describeFailure(failed)}`;
}

// A case that looks at nothing would be green against every implementation.
function nothingChecked({ checks }: Evidence): string | undefined {
  return checks.length === 0 ? 'zero checks were evaluated' : undefined;
}

function missingWitness({ witnesses }: Evidence): string | undefined {
  const missing = witnesses.find((check) => !check.ok);
  return missing && `witness missing: ${missing.what}, got ${missing.actual}`;
}

function onlyRecorded({ level, checks }: Evidence): string | undefined {
  if (level === 'observe') return 'the case only records an answer';
  return checks.every((check) => check.soft !== undefined)
    ? 'every check is an open point without an answer'
    : undefined;
}

function failedCheck({ checks }: Evidence): string | undefined {
  const failed = checks.find(isFailure);
  return failed && describeFailure(failed);
}
