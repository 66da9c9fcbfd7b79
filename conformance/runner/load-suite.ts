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
  /** Folder of case files; that of this package when absent. */
  readonly folder?: string | undefined;
  /** Every case when absent. */
  readonly selection?: Selection | undefined;
  /** Ids or globs over ids: the files that hold such cases are read too. */
  readonly besides?: readonly string[];
}

/** The chosen cases, and what was found on the way to them. */
export interface LoadedSuite {
  readonly cases: readonly ConcreteCase[];
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
 * of authors are part of the answer.
 */
export async function loadSuite({ folder, selection = EVERYTHING, besides = [] }: SuiteRequest): Promise<LoadedSuite> {
  const root = packageRoot();
  const memory = parsedMemory();
  const levels = await readLevels(path.join(root, 'docs/spec/clauses'));
  const absolute = folder ?? path.join(root, CASES_FOLDER);
  const relative = path.relative(root, absolute);
  const loaded = await loadCases(absolute, {
    relativeTo: root,
    levelOf: (clauses) => levelOf(levels, clauses),
    wanted: wantedFiles(selection, besides, relative),
    memory,
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

/** The same for whoever runs the cases. Throws UsageFault with every mistake as FILE:LINE:COL, or when no case is chosen. */
export async function loadRunnable(request: SuiteRequest): Promise<Pick<LoadedSuite, 'cases' | 'read'>> {
  const { cases, read, problems, unreadable, unmatched } = await loadSuite(request);
  // What cannot be read may be what was asked for; what can be read and is not chosen is left to `conform lint`.
  if (unreadable.length > 0) throw new UsageFault(unreadable.map(formatProblem).join('\n'));
  if (unmatched.length > 0) throw new UsageFault(await describeUnmatched(unmatched, request));
  if (cases.length === 0) throw new UsageFault('the selection leaves no case');
  const files = new Set(cases.map(({ file }) => file));
  const wrong = problems.filter(({ file }) => files.has(file));
  if (wrong.length > 0) throw new UsageFault(wrong.map(formatProblem).join('\n'));
  return { cases, read };
}

/** Patterns that match nothing, each with the id or suite that may have been meant. */
async function describeUnmatched(unmatched: readonly string[], { folder }: SuiteRequest): Promise<string> {
  const { cases } = await loadSuite({ folder });
  const names = [...new Set(cases.flatMap(({ baseId, suite }) => [baseId, suite]))];
  const meant = unmatched.map((pattern) => {
    const hint = nearest(pattern.toLowerCase(), names);
    return `${pattern}${hint === undefined ? '' : `, did you mean ${hint}?`}`;
  });
  return `no case matches ${meant.join(', ')}`;
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
  const cases = read.filter(({ file }) => names.has(file));
  return lintCases(cases, { register }, read);
}
