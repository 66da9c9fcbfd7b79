import type { Command } from 'commander';
import { caseDocuments } from '../case/case-documents.ts';
import { readFeatures } from '../clauses/features.ts';
import { describeUnmatched, loadSuite } from '../load-suite.ts';
import { addSelectionOptions, toSelection } from './selection-options.ts';
import type { SelectionOptions } from './selection-options.ts';
import { print, readSuite, reportProblems, usageError } from './suite.ts';

/** `conform list [PATTERN...]`: one line per concrete case, or per resource that the cases hand over or ask about. */
export function addListCommand(program: Command): void {
  const command = program
    .command('list')
    .description('list cases')
    .argument('[pattern...]', 'a folder or file of cases, the name of a suite, or a glob over case ids')
    .option('--cases <path>', 'folder of case files, or one of them, instead of those of this package')
    .option('--features', 'the features an implementation may declare, instead of cases', false)
    .option('--documents', 'the resources of the cases instead, one JSON object a line', false)
    .option('--json', 'a JSON list instead of lines', false);
  addSelectionOptions(command).action(list);
}

interface ListFlags extends SelectionOptions {
  readonly features: boolean;
  readonly documents: boolean;
  readonly json: boolean;
  readonly cases?: string;
}

async function list(patterns: readonly string[], options: ListFlags): Promise<void> {
  if (options.features) return listFeatures(options);
  const { cases, unmatched, problems } = await readSuite({
    folder: options.cases,
    selection: toSelection(patterns, options),
  });
  if (options.documents) {
    for (const document of cases.flatMap(caseDocuments)) print(JSON.stringify(document));
  } else if (options.json) {
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

/** Every feature with the number of the cases that need it. */
async function listFeatures({ json, cases: folder }: ListFlags): Promise<void> {
  const { read } = await loadSuite({ folder });
  const features = readFeatures().map(({ id, text, core = false }) => ({
    id,
    text,
    core,
    cases: read.filter(({ needs }) => needs.includes(id)).length,
  }));
  if (json) return print(JSON.stringify(features, undefined, 2));
  const width = Math.max(...features.map(({ id }) => id.length));
  for (const { id, text, core, cases } of features)
    print(`${id.padEnd(width)}  ${String(cases).padStart(4)} cases  ${core ? 'core: ' : ''}${text}`);
}
