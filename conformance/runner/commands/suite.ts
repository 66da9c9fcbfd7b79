import path from 'node:path';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { lintKills } from '../case/lint.ts';
import { formatProblem, sortProblems } from '../case/problem.ts';
import type { Problem } from '../case/problem.ts';
import { readDecisions, type Decision } from '../clauses/decisions.ts';
import { loadDefects } from '../clauses/defects.ts';
import type { DefectEntry } from '../clauses/defects.ts';
import { loadRegister } from '../clauses/register.ts';
import type { Register } from '../clauses/register.ts';
import { loadSuite, type LoadedSuite, type SuiteRequest } from '../load-suite.ts';
import { packageRoot } from '../values/package-root.ts';
import { EXIT } from '../verdict/exit-code.ts';

/** What cases are held against. */
export interface SuiteFrame {
  readonly root: string;
  readonly register: Register;
  /** Undefined while the gallery is empty. */
  readonly defects: readonly DefectEntry[] | undefined;
  readonly decisions: readonly Decision[];
  /** Pages of decisions whose front matter cannot be read. */
  readonly brokenDecisions: readonly string[];
}

/** Cases, register and gallery, read and linted. */
export interface Suite extends SuiteFrame {
  readonly cases: readonly ConcreteCase[];
  readonly problems: readonly Problem[];
}

/** Reads register, gallery and decisions. */
export async function readFrame(): Promise<SuiteFrame> {
  const root = packageRoot();
  const [register, defects, { decisions, problems: brokenDecisions }] = await Promise.all([
    loadRegister(path.join(root, 'docs/spec')),
    loadDefects(path.join(root, 'conformance/gallery')),
    readDecisions(path.join(root, 'docs/decisions')),
  ]);
  return { root, register, defects, decisions, brokenDecisions };
}

/** Everything a command about the suite looks at; of the cases those that are wanted. */
export async function readSuite(request: SuiteRequest = {}): Promise<Suite & LoadedSuite> {
  const [frame, loaded] = await Promise.all([readFrame(), loadSuite(request)]);
  return { ...frame, ...loaded, problems: withKills(loaded, frame) };
}

/** The problems of a suite, with those of cases that name defects nobody has. */
function withKills({ problems, read }: LoadedSuite, { defects }: SuiteFrame): readonly Problem[] {
  if (defects === undefined) return problems;
  return sortProblems([...problems, ...lintKills(read, new Set(defects.map(({ id }) => id)))]);
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
