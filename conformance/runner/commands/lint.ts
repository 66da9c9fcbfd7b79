import type { Command } from 'commander';
import { requiredCasesProblems } from '../case/lint/required-cases.ts';
import { EVERYTHING, type Selection } from '../case/select.ts';
import { describeUnmatched } from '../load-suite.ts';
import { print, readSuite, reportProblems, usageError } from './suite.ts';

/** `conform lint [PATTERN...]`: every authoring error with file, line and column; exit code 2 when there is one. */
export function addLintCommand(program: Command): void {
  program
    .command('lint')
    .description('check the cases without running them')
    .argument('[pattern...]', 'a folder or file of cases, the name of a suite, or a glob over case ids')
    .option('--cases <path>', 'folder of case files, or one of them, instead of those of this package')
    .action(lint);
}

async function lint(patterns: readonly string[], { cases: folder }: { readonly cases?: string }): Promise<void> {
  const { cases, problems: read, unmatched } = await readChosen({ ...EVERYTHING, patterns }, folder);
  // Of a part of the suite nobody can say what is missing.
  const problems = patterns.length === 0 ? [...read, ...requiredCasesProblems(cases)] : read;
  const files = new Set(cases.map(({ file }) => file));
  // A file that cannot be read has no cases, so it is chosen by its name.
  const isChosen = (file: string): boolean =>
    patterns.length === 0 || files.has(file) || patterns.some((pattern) => file.includes(pattern));
  const concerning = problems.filter(({ file }) => isChosen(file));
  const lost = unmatched.filter((pattern) => !concerning.some(({ file }) => file.includes(pattern)));
  reportProblems(concerning);
  if (lost.length > 0) return usageError(await describeUnmatched(lost, { folder }));
  if (concerning.length === 0) print(`${cases.length} cases, no problems`);
}

/** The chosen cases, and with them every file that may use one of their ids a second time. */
async function readChosen(selection: Selection, folder?: string): Promise<Awaited<ReturnType<typeof readSuite>>> {
  const chosen = await readSuite({ folder, selection });
  if (selection.patterns.length === 0) return chosen;
  return readSuite({ folder, selection, besides: [...new Set(chosen.cases.map(({ baseId }) => baseId))] });
}
