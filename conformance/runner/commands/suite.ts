import path from 'node:path';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { lintCases } from '../case/lint.ts';
import { loadCases } from '../case/load.ts';
import { formatProblem, sortProblems } from '../case/problem.ts';
import type { Problem } from '../case/problem.ts';
import { readDecisions, type Decision } from '../clauses/decisions.ts';
import { loadDefects } from '../clauses/defects.ts';
import type { DefectEntry } from '../clauses/defects.ts';
import { levelOf, loadRegister } from '../clauses/register.ts';
import type { Register } from '../clauses/register.ts';
import { packageRoot } from '../values/package-root.ts';
import { EXIT } from '../verdict/exit-code.ts';

/** Where the cases lie, relative to the package. */
export const CASES_FOLDER = 'conformance/cases';

/** Cases, register and gallery, read and linted. */
export interface Suite {
  readonly root: string;
  readonly register: Register;
  readonly cases: readonly ConcreteCase[];
  readonly problems: readonly Problem[];
  /** Undefined while the gallery is empty. */
  readonly defects: readonly DefectEntry[] | undefined;
  readonly decisions: readonly Decision[];
  /** Pages of decisions whose front matter cannot be read. */
  readonly brokenDecisions: readonly string[];
}

/** Loads everything a command about the suite looks at. */
export async function loadSuite(): Promise<Suite> {
  const root = packageRoot();
  const [register, defects, { decisions, problems: brokenDecisions }] = await Promise.all([
    loadRegister(path.join(root, 'docs/spec')),
    loadDefects(path.join(root, 'conformance/gallery')),
    readDecisions(path.join(root, 'docs/decisions')),
  ]);
  const loaded = await loadCases(path.join(root, CASES_FOLDER), {
    relativeTo: root,
    levelOf: (clauses) => levelOf(register.clauses, clauses),
  });
  const ids = defects === undefined ? {} : { defects: new Set(defects.map(({ id }) => id)) };
  const problems = sortProblems([...loaded.problems, ...lintCases(loaded.cases, { register, ...ids })]);
  return { root, register, defects, decisions, brokenDecisions, cases: loaded.cases, problems };
}

/** Prints lines to standard output. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Prints authoring errors to standard error and sets the exit code of a case error. */
export function reportProblems(problems: readonly Problem[]): void {
  for (const problem of problems) process.stderr.write(`${formatProblem(problem)}\n`);
  if (problems.length > 0) {
    process.stderr.write(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in the cases\n`);
    process.exitCode = EXIT.usage;
  }
}

/** Says what was wrong with the command line and sets the exit code of a usage error. */
export function usageError(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = EXIT.usage;
}
