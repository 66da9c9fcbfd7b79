// What the tools beside it share that hold admission against an API server: the documents, what the reference says of them, and what may differ.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

export type Json = Readonly<Record<string, unknown>>;

/** A resource that a case hands over or asks about, as `conform list --documents` prints it. */
export interface CaseDocument {
  readonly id: string;
  readonly resource: Json;
}

/** What somebody says of one document; `errors` are for people. */
export interface Verdict {
  readonly accepted: boolean;
  readonly errors: readonly string[];
}

/** Documents about which an API server and the reference may differ, and why. */
export interface KnownDifference {
  /** A glob over the ids of documents: `*` is any text. */
  readonly documents: string;
  /** Who accepts them; the other one does not. */
  readonly accepted: 'by the server' | 'by the reference';
  readonly reason: string;
}

/** Every resource of the cases that the patterns choose; of all cases without one. */
export function caseDocuments(...patterns: readonly string[]): readonly CaseDocument[] {
  return linesOf(run('node', ['bin/conform.mjs', 'list', ...patterns, '--documents'])).map(
    (line) => JSON.parse(line) as CaseDocument,
  );
}

/** What admission of the reference says of each document; every one stands alone, as for `refproxy validate` of one file. */
export function referenceVerdicts(documents: readonly CaseDocument[]): readonly Verdict[] {
  const answers = askReference(documents.map(({ resource }) => ['validate', { resource }]));
  return answers.map((answer) => {
    const { accepted, violations } = answer as {
      readonly accepted: boolean;
      readonly violations: readonly { readonly path: string; readonly message: string }[];
    };
    return { accepted, errors: violations.map((violation) => `${violation.path}: ${violation.message}`) };
  });
}

/** Results of operations of the reference, in their order. Throws for one that has none. */
export function askReference(operations: readonly (readonly [op: string, input: unknown])[]): readonly unknown[] {
  const requests = operations.map(([op, input], seq) => JSON.stringify({ seq, cmd: 'op', op, input }));
  return linesOf(run('node', ['bin/refproxy.mjs', 'adapter'], `${requests.join('\n')}\n`)).map((line) => {
    const answer = JSON.parse(line) as { readonly result?: unknown };
    if (answer.result === undefined) throw new Error(`the reference has no answer: ${line}`);
    return answer.result;
  });
}

export function knownDifferences(file: string): readonly KnownDifference[] {
  return (parse(readFileSync(file, 'utf8')) ?? []) as readonly KnownDifference[];
}

/** One document, and what two judges say of it. */
export interface Pair {
  readonly id: string;
  readonly server: Verdict;
  readonly reference: Verdict;
}

/** One line for every difference without a reason, and for every reason without a difference among the documents it is about. */
export function unexplained(pairs: readonly Pair[], known: readonly KnownDifference[]): readonly string[] {
  const used = new Set<KnownDifference>();
  const differences = pairs.flatMap((pair) => {
    if (pair.server.accepted === pair.reference.accepted) return [];
    const side = pair.server.accepted ? 'by the server' : 'by the reference';
    const reason = known.find(({ documents, accepted }) => accepted === side && globMatches(documents, pair.id));
    if (reason !== undefined) {
      used.add(reason);
      return [];
    }
    const { errors } = pair.server.accepted ? pair.reference : pair.server;
    return [`${pair.id} is accepted ${side} alone; the other says: ${errors.join('; ')}`];
  });
  const about = (one: KnownDifference): boolean => pairs.some(({ id }) => globMatches(one.documents, id));
  const stale = known.filter((one) => !used.has(one) && about(one));
  return [...differences, ...stale.map(({ documents }) => `no difference needs the reason for ${documents} any more`)];
}

/** Runs a program to its end and gives its output; throws when it fails. */
export function run(program: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: path.resolve(import.meta.dirname, '../..'),
    input,
    encoding: 'utf8',
    maxBuffer: 1024 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

export function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

function globMatches(glob: string, text: string): boolean {
  const parts = glob.split('*').map((part) => part.replaceAll(/[.[\]()+?^$|{}\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
