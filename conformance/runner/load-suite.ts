import { stat } from 'node:fs/promises';
import path from 'node:path';
import { mayHoldChosen } from './case/candidate-files.ts';
import type { ConcreteCase } from './case/concrete-case.ts';
import { duplicateIds, lintCases } from './case/lint.ts';
import { loadCases, type CaseText, type FreshFile } from './case/load.ts';
import { parsedMemory } from './case/parsed-memory.ts';
import { formatProblem, sortProblems, type Problem } from './case/problem.ts';
import { EVERYTHING, selectCases, type Selection } from './case/select.ts';
import { readLevels, readLintRegister } from './clauses/levels.ts';
import { levelOf } from './clauses/register.ts';
import { UsageFault } from './sut/session.ts';
import { nearest } from './values/nearest.ts';
import { packageRoot } from './values/package-root.ts';

/** Where the cases of this package lie, relative to it. */
export const CASES_FOLDER = 'conformance/cases';

/** What a command wants to know of the suite. */
export interface SuiteRequest {
  /** Folder of case files, or one of them; that of this package when absent. */
  readonly folder?: string | undefined;
  /** Every case when absent. */
  readonly selection?: Selection | undefined;
  /** Ids or globs over ids: the files that hold such cases are read too. */
  readonly besides?: readonly string[];
  /** Makes the names of cases those of one run, where others may use the same implementation at the same time. */
  readonly run?: string | undefined;
}

/** The chosen cases, and what was found on the way to them. */
export interface LoadedSuite {
  readonly cases: readonly ConcreteCase[];
  /** Those of all shards together. */
  readonly undivided: readonly ConcreteCase[];
  /** Every case of every file that was read. */
  readonly read: readonly ConcreteCase[];
  /** Mistakes in the files that were read. */
  readonly problems: readonly Problem[];
  /** Those among them that leave a case or a file out of the suite. */
  readonly unreadable: readonly Problem[];
  /** Patterns of the selection that match no case. */
  readonly unmatched: readonly string[];
}

/**
 * Reads the files that may hold a wanted case, and no others; checks and lints those that are not remembered as good. Mistakes
 * of authors are part of the answer; UsageFault is thrown for a folder that is not there and a clause that the register does not have.
 */
export async function loadSuite({
  folder,
  selection = EVERYTHING,
  besides = [],
  run,
}: SuiteRequest): Promise<LoadedSuite> {
  const root = packageRoot();
  const memory = parsedMemory();
  const levels = await readLevels(path.join(root, 'docs/spec/clauses'));
  requireClauses(selection.clauses, levels);
  const absolute = folder ?? path.join(root, CASES_FOLDER);
  await requireFolder(absolute);
  const relative = path.relative(root, absolute);
  const loaded = await loadCases(absolute, {
    relativeTo: root,
    levelOf: (clauses) => levelOf(levels, clauses),
    wanted: wantedFiles(selection, besides, relative),
    memory,
    run,
  });
  const wrong = await lintFresh(loaded.cases, loaded.fresh);
  const wrongFiles = new Set(wrong.map(({ file }) => file));
  for (const { name, text, value } of loaded.fresh) if (!wrongFiles.has(name)) memory.keep(text, value);
  const { cases: read, problems: unreadable } = loaded;
  return {
    ...selectCases(read, selection, relative),
    read,
    unreadable,
    problems: sortProblems([...unreadable, ...wrong]),
  };
}

/**
 * The same for whoever runs the cases. Throws UsageFault with every mistake as FILE:LINE:COL, or when no case is chosen; a shard of those that
 * are may be empty.
 */
export async function loadRunnable(request: SuiteRequest): Promise<Pick<LoadedSuite, 'cases' | 'undivided' | 'read'>> {
  const { cases, undivided, read, problems, unreadable, unmatched } = await loadSuite(request);
  // What cannot be read may be what was asked for; what can be read and is not chosen is left to `conform lint`.
  if (unreadable.length > 0) throw new UsageFault(unreadable.map(formatProblem).join('\n'));
  if (unmatched.length > 0) throw new UsageFault(await describeUnmatched(unmatched, request));
  if (undivided.length === 0) throw new UsageFault('the selection leaves no case');
  const files = new Set(cases.map(({ file }) => file));
  const wrong = problems.filter(({ file }) => files.has(file));
  if (wrong.length > 0) throw new UsageFault(wrong.map(formatProblem).join('\n'));
  return { cases, undivided, read };
}

/** Patterns that match nothing, each with the id, the suite, the file or the folder that may have been meant. */
export async function describeUnmatched(
  unmatched: readonly string[],
  { folder }: Pick<SuiteRequest, 'folder'> = {},
): Promise<string> {
  const { cases } = await loadSuite({ folder });
  const names = namesOf(cases, path.relative(packageRoot(), folder ?? path.join(packageRoot(), CASES_FOLDER)));
  const meant = unmatched.map((pattern) => {
    const hint = nearest(pattern.toLowerCase(), names);
    return `${pattern}${hint === undefined ? '' : `, did you mean ${hint}?`}`;
  });
  const search = meant.every((text) => text.endsWith('?')) ? '' : '; conform search finds cases by words';
  return `no case matches ${meant.join(', ')}${search}`;
}

/** Everything by which a pattern may name cases; files and folders as they are seen from `folder` too. */
function namesOf(cases: readonly ConcreteCase[], folder: string): readonly string[] {
  const files = [...new Set(cases.map(({ file }) => file))].flatMap((file) => [file, path.relative(folder, file)]);
  const folders = files.map((file) => path.dirname(file));
  return [...new Set([...cases.flatMap(({ baseId, suite }) => [baseId, suite]), ...files, ...folders])];
}

function requireClauses(ids: readonly string[], known: ReadonlyMap<string, unknown>): void {
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return;
  const hint = nearest(unknown, [...known.keys()]);
  throw new UsageFault(`the register has no clause ${unknown}${hint === undefined ? '' : `, did you mean ${hint}?`}`);
}

async function requireFolder(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => undefined);
  if (there?.isDirectory() === true || (there !== undefined && folder.endsWith('.yaml'))) return;
  const why = there === undefined ? 'there is no such folder' : 'this is no folder and no YAML file';
  throw new UsageFault(`--cases ${folder}: ${why}`);
}

function wantedFiles(selection: Selection, besides: readonly string[], folder: string): (file: CaseText) => boolean {
  const mayHold = [selection, ...(besides.length === 0 ? [] : [{ ...EVERYTHING, patterns: besides }])].map((wanted) =>
    mayHoldChosen(wanted, folder),
  );
  return (file) => mayHold.some((holds) => holds(file));
}

/** Mistakes that the schema does not see, in files that are not remembered as good, and ids that were given twice. */
async function lintFresh(read: readonly ConcreteCase[], fresh: readonly FreshFile[]): Promise<readonly Problem[]> {
  if (fresh.length === 0) return duplicateIds(read);
  const names = new Set(fresh.map(({ name }) => name));
  const register = await readLintRegister(path.join(packageRoot(), 'docs/spec'));
  const expressions = await import('./case/case-names.ts');
  const cases = read.filter(({ file }) => names.has(file));
  return lintCases(cases, { register, expressions }, read);
}
