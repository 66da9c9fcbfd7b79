import { parse } from 'yaml';
import { z } from 'zod';
import { globExpression } from '../values/glob.ts';
import type { Verdict } from './verdict.ts';

const entrySchema = z.strictObject({
  case: z.string().min(1),
  reason: z.string().min(1),
  owner: z.string().min(1),
  until: z.iso.date().optional(),
  message: z.string().min(1).optional(),
});

/** A failure that is known: the case (id or glob), why, who looks after it, until when, and what the failure says. */
export type KnownFailure = z.infer<typeof entrySchema>;

/** An entry that is itself wrong; every one of them makes the run red. */
export interface KnownProblem {
  readonly entry: KnownFailure;
  readonly problem: 'unmatched' | 'expired' | 'stale' | 'other reason';
}

/** Reads a known-failures file. Throws an Error that says which entry is wrong and why. */
export function parseKnownFailures(file: string, text: string): readonly KnownFailure[] {
  const content: unknown = parse(text);
  const answer = z.array(entrySchema).safeParse(content ?? []);
  if (answer.success) return answer.data;
  const [issue] = answer.error.issues;
  throw new Error(`${file}: entry ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`);
}

/** The entry for a case; an expired one counts no longer. `today` is `YYYY-MM-DD`. */
export function knownFailure(
  entries: readonly KnownFailure[],
  caseId: string,
  today: string,
): KnownFailure | undefined {
  return entries.find((entry) => names(entry, caseId) && !isExpired(entry, today));
}

/**
 * What is wrong with the list after a run: entries that name no case of the suite (`ids`, or those that ran), have
 * expired, or whose cases passed or failed in another way. A list nobody tidies would hide new failures.
 */
export function knownProblems(
  entries: readonly KnownFailure[],
  results: readonly { readonly id: string; readonly verdict: Verdict }[],
  today: string,
  ids: readonly string[] = results.map(({ id }) => id),
): readonly KnownProblem[] {
  return entries.flatMap((entry) => {
    if (!ids.some((id) => names(entry, id))) return [{ entry, problem: 'unmatched' }];
    const verdicts = results.filter(({ id }) => names(entry, id)).map(({ verdict }) => verdict);
    const problem = problemOf(entry, verdicts, today);
    return problem === undefined ? [] : [{ entry, problem }];
  });
}

function problemOf(
  entry: KnownFailure,
  verdicts: readonly Verdict[],
  today: string,
): KnownProblem['problem'] | undefined {
  if (isExpired(entry, today)) return 'expired';
  if (verdicts.includes('stale')) return 'stale';
  return verdicts.includes('fail') ? 'other reason' : undefined;
}

function names(entry: KnownFailure, caseId: string): boolean {
  return entry.case === caseId || globExpression(entry.case).test(caseId);
}

function isExpired({ until }: KnownFailure, today: string): boolean {
  return until !== undefined && until < today;
}
