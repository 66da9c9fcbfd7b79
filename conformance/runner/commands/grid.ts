import type { Command } from 'commander';
import { readWholeReport } from '../report/read-report.ts';
import { resultsGrid, resultsOf } from '../report/results-grid.ts';
import { print } from './suite.ts';

/** `conform grid PLACE...`: profiles by implementations as a Markdown table. */
export function addGridCommand(program: Command): void {
  program
    .command('grid')
    .description('profiles by implementations, as a Markdown table')
    .argument('<place...>', 'report.json, events.ndjson, or the folder it lies in')
    .option('--json', 'the conformance results as JSON', false)
    .action((places: readonly string[], { json }: { readonly json: boolean }) => {
      const results = resultsOf(places.map(readWholeReport));
      print(json ? JSON.stringify(results, undefined, 2) : resultsGrid(results));
    });
}
