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
  readonly known?: { readonly reason: string; readonly message?: string | undefined } | undefined;
}

export interface Decision {
  readonly verdict: Verdict;
  /** One line for people; empty for a pass. */
  readonly reason: string;
  /** Set for `error`. */
  readonly fault?: Fault;
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
  { verdict: 'known', reason: failedAsListed },
  { verdict: 'fail', reason: failedCheck },
  { verdict: 'stale', reason: listedButPassed },
  { verdict: 'pass', reason: () => '' },
];

/** The verdict of a case, decided by the table above from what was seen. */
export function decide(evidence: Evidence): Decision {
  for (const row of TABLE) {
    const reason = row.reason(evidence);
    if (reason === undefined) continue;
    if (row.verdict !== 'error') return { verdict: row.verdict, reason };
    return { verdict: 'error', reason, fault: evidence.broken?.fault ?? 'case' };
  }
  return { verdict: 'error', reason: 'no row of the verdict table applies', fault: 'harness' };
}

/** What a failed check says in one line; known failures are matched against it. */
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

function failedAsListed({ checks, known }: Evidence): string | undefined {
  if (known === undefined) return undefined;
  const listed = known.message ?? '';
  return checks.some((check) => isFailure(check) && describeFailure(check).includes(listed)) ? known.reason : undefined;
}

function failedCheck({ checks, known }: Evidence): string | undefined {
  const failed = checks.find(isFailure);
  if (failed === undefined) return undefined;
  const other = known === undefined ? '' : ` (listed as known with another message: ${known.message ?? ''})`;
  return `${describeFailure(failed)}${other}`;
}

function listedButPassed({ known }: Evidence): string | undefined {
  return known && `listed as known (${known.reason}) and passed`;
}
