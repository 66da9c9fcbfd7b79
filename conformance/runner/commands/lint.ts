import type { Command } from 'commander';
import { selectCases } from '../case/select.ts';
import { CASES_FOLDER, loadSuite, print, reportProblems, usageError } from './suite.ts';

/** `conform lint [PATTERN...]`: every authoring error with file, line and column; exit code 2 when there is one. */
export function addLintCommand(program: Command): void {
  program
    .command('lint')
    .description('check the cases without running them')
    .argument('[patterns...]', 'folder or file of cases, or glob over ids')
    .action(lint);
}

async function lint(patterns: readonly string[]): Promise<void> {
  const suite = await loadSuite();
  const { cases, unmatched } = selectCases(suite.cases, { patterns, clauses: [], areas: [], levels: [] }, CASES_FOLDER);
  const files = new Set(cases.map(({ file }) => file));
  // A file that cannot be read has no cases, so it is chosen by its name.
  const named = (file: string): boolean =>
    patterns.length === 0 || files.has(file) || patterns.some((pattern) => file.includes(pattern));
  const problems = suite.problems.filter(({ file }) => named(file));
  if (unmatched.length > 0 && problems.length === 0) return usageError(`no case matches ${unmatched.join(', ')}`);
  reportProblems(problems);
  if (problems.length === 0) print(`${cases.length} cases, no problems`);
}
