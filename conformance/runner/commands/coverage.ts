import type { Command } from 'commander';
import { coverage, formatCoverage } from '../clauses/coverage.ts';
import { print, readSuite, reportProblems } from './suite.ts';

/** `conform coverage [--json]`: how many MUST and DEFAULT clauses of each area have cases of both polarities. */
export function addCoverageCommand(program: Command): void {
  program
    .command('coverage')
    .description('clauses with and without cases, by area')
    .option('--json', 'JSON instead of a table', false)
    .action(printCoverage);
}

async function printCoverage(options: { readonly json: boolean }): Promise<void> {
  const suite = await readSuite();
  const result = coverage(suite.register, suite.cases);
  print(options.json ? JSON.stringify(result, undefined, 2) : formatCoverage(result, suite.register));
  reportProblems(suite.problems);
}
