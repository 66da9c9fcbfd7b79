import type { Command } from 'commander';
import { describeUnmatched } from '../load-suite.ts';
import { addSelectionOptions, toSelection } from './selection-options.ts';
import type { SelectionOptions } from './selection-options.ts';
import { print, readSuite, reportProblems, usageError } from './suite.ts';

/** `conform list [PATTERN...]`: one line per concrete case. */
export function addListCommand(program: Command): void {
  const command = program
    .command('list')
    .description('list cases')
    .argument('[pattern...]', 'a folder or file of cases, the name of a suite, or a glob over case ids')
    .option('--cases <folder>', 'folder of case files instead of those of this package')
    .option('--json', 'a JSON list instead of lines', false);
  addSelectionOptions(command).action(list);
}

async function list(
  patterns: readonly string[],
  options: SelectionOptions & { readonly json: boolean; readonly cases?: string },
): Promise<void> {
  const { cases, unmatched, problems } = await readSuite({
    folder: options.cases,
    selection: toSelection(patterns, options),
  });
  if (options.json) {
    const entries = cases.map(({ id, suite: name, title, level, layer, isolation, clauses, file }) => ({
      id,
      suite: name,
      title,
      level,
      layer,
      isolation,
      clauses,
      file,
    }));
    print(JSON.stringify(entries, undefined, 2));
  } else {
    for (const { id, level, layer, clauses } of cases) {
      print(`${id}  ${level} ${layer}  ${[...new Set(clauses.map((clause) => clause.id))].join(' ')}`);
    }
    print(`${cases.length} cases`);
  }
  if (unmatched.length > 0) usageError(await describeUnmatched(unmatched, { folder: options.cases }));
  reportProblems(problems);
}
