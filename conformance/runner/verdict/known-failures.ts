import { z } from 'zod';
import { globExpression } from '../values/glob.ts';
import type { SchemaProblem } from '../values/schema-problems.ts';
import { checkUserYaml, placeIn, type UserYaml } from '../values/user-yaml.ts';
import { LISTABLE, type Verdict } from './verdict.ts';

/** Stands where a person has to write something; a list that still has it cannot be used. */
export const TO_WRITE = 'TODO';

const written = (text: z.ZodString): z.ZodString =>
  text.regex(new RegExp(`^(?!${TO_WRITE}\\b)`), `is still to be written: ${TO_WRITE} stands there`);

const shape = {
  case: z
    .string()
    .min(1)
    .meta({
      description: 'The case: an id, or a glob over ids in which * is any text and ? one character.',
      examples: ['routing.routes.weights', 'traffic.cors.*', 'traffic.direct-response.body-expression[*]'],
    }),
  verdict: z
    .enum(LISTABLE)
    .default('fail')
    .meta({
      description:
        'How the case comes out: fail, inconclusive or error every time; unstable now this way, now that way (a flaky case).',
      examples: ['inconclusive', 'unstable'],
    }),
  until: z.iso
    .date()
    .optional()
    .meta({
      description: 'The last day on which the entry counts; after it the run is red.',
      examples: ['2027-03-31'],
    }),
  message: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: 'A part of what the failure says. A failure that says something else is a new one.',
      examples: ['status: expected 405, got 404'],
    }),
};
const reason = z
  .string()
  .min(1)
  .meta({
    description:
      'Why it is so, for whoever reads the list in a year: the clause, what the implementation does instead, the ticket.',
    examples: [
      'CONNECT-007: the answer to CONNECT is 405. To nginx such a request line is malformed, and it answers 400.',
    ],
  });
const owner = z
  .string()
  .min(1)
  .meta({ description: 'Who looks after it.', examples: ['gateway team'] });

/** A file of known failures, complete. `schemas/known-failures.schema.json` is generated from it. */
export const knownFailuresSchema = z
  .array(z.strictObject({ ...shape, reason: written(reason), owner: written(owner) }))
  .meta({ description: 'Cases that are known not to pass, each with its reason.' });

/** The same while somebody still writes it. */
const draftSchema = z.array(z.strictObject({ ...shape, reason, owner }));

/** A failure that is known, and where that is written. */
export interface KnownFailure extends z.infer<typeof draftSchema.element> {
  /** `FILE:LINE:COL`. */
  readonly place: string;
}

/** An entry that is itself wrong; every one of them makes the run red. */
export interface KnownProblem {
  readonly entry: KnownFailure;
  readonly problem: string;
}

/** What became of a case. */
interface SeenCase {
  readonly id: string;
  readonly verdict: Verdict;
}

/** The entries of a file, or everything that is wrong with it. */
export type KnownFailures =
  | { readonly entries: readonly KnownFailure[] }
  | Extract<UserYaml<unknown>, { readonly problems: unknown }>;

/** Reads the text of a known-failures file; a draft may still have reasons to fill in. Never throws. */
export function parseKnownFailures(file: string, text: string, as: 'complete' | 'draft' = 'complete'): KnownFailures {
  const schema = as === 'draft' ? draftSchema : knownFailuresSchema;
  // A file of comments only is an empty list.
  const read = checkUserYaml({ file, text, whole: 'list', empty: [] }, schema, repeated);
  if ('problems' in read) return read;
  const { value, source } = read;
  return { entries: value.map((entry, index) => ({ ...entry, place: placeIn(source, [index]) })) };
}

/** The entry for a case; an expired one counts no longer. `today` is `YYYY-MM-DD`. */
export function knownFailure(
  entries: readonly KnownFailure[],
  caseId: string,
  today: string,
): KnownFailure | undefined {
  return entries.find((entry) => names(entry, caseId) && !isExpired(entry, today));
}

/** Whether an entry speaks of a case. */
export function names(entry: Pick<KnownFailure, 'case'>, caseId: string): boolean {
  return entry.case === caseId || expressionOf(entry.case).test(caseId);
}

/** A list of a hundred entries is held against thousands of cases: making each expression anew took seconds. */
const expressions = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  const made = expressions.get(pattern) ?? globExpression(pattern);
  expressions.set(pattern, made);
  return made;
}

/**
 * What is wrong with the list after a run: entries that have expired, or whose cases passed or came out in another way. A list
 * nobody tidies would hide new failures.
 */
export function knownProblems(
  entries: readonly KnownFailure[],
  results: readonly SeenCase[],
  today: string,
): readonly KnownProblem[] {
  return entries.flatMap((entry) => {
    const named = results.filter(({ id }) => names(entry, id));
    const problem = problemOf(entry, named, today);
    return problem === undefined ? [] : [{ entry, problem }];
  });
}

const OTHERWISE: ReadonlySet<Verdict> = new Set(['fail', 'inconclusive', 'error']);

function problemOf(entry: KnownFailure, results: readonly SeenCase[], today: string): string | undefined {
  const { verdict, message, until } = entry;
  if (isExpired(entry, today)) return `expired after ${until ?? ''}`;
  const stale = results.filter((result) => result.verdict === 'stale');
  if (stale.length > 0) return `${idsOf(stale)} passed`;
  const other = results.filter((result) => OTHERWISE.has(result.verdict));
  if (other.length === 0) return undefined;
  return `${idsOf(other)} did not come out as listed: ${verdict}${message === undefined ? '' : ` with "${message}"`}`;
}

function idsOf(results: readonly SeenCase[]): string {
  return [...new Set(results.map(({ id }) => id))].join(', ');
}

/** Whether the last day of an entry has passed. */
export function isExpired({ until }: KnownFailure, today: string): boolean {
  return until !== undefined && until < today;
}

function repeated(entries: readonly { readonly case: string }[]): readonly SchemaProblem[] {
  return entries.flatMap((entry, index) => {
    const earlier = entries.findIndex((other) => other.case === entry.case);
    const message = `${entry.case} has an entry already, number ${earlier + 1} of the list`;
    return earlier === index ? [] : [{ path: [index, 'case'], key: false, message }];
  });
}
