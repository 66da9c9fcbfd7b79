import type { Command } from 'commander';
import { CHANGES, compareReports, type Change, type ChangeKind } from '../report/compare-reports.ts';
import { readWholeReport } from '../report/read-report.ts';
import { EXIT } from '../verdict/exit-code.ts';
import { print } from './suite.ts';

const TITLES: Readonly<Record<ChangeKind, string>> = {
  worse: 'worse',
  better: 'better',
  other: 'otherwise',
  new: 'only in the second',
  gone: 'only in the first',
};

/** `conform diff A B`: the cases whose verdicts differ; ends with 1 when one got worse. */
export function addDiffCommand(program: Command): void {
  program
    .command('diff')
    .description('the cases whose verdicts differ between two reports; exit code 1 when one got worse')
    .argument('<before>', 'report.json, events.ndjson, or the folder it lies in')
    .argument('<after>', 'the same of the other run')
    .option('--json', 'JSON instead of lines', false)
    .action((before: string, after: string, { json }: { readonly json: boolean }) => {
      const changes = compareReports(readWholeReport(before), readWholeReport(after));
      print(json ? JSON.stringify(changes, undefined, 2) : changesText(changes));
      process.exitCode = changes.some(({ kind }) => kind === 'worse') ? EXIT.failed : EXIT.passed;
    });
}

/** A block for each kind of change. */
export function changesText(changes: readonly Change[]): string {
  if (changes.length === 0) return 'no verdict differs';
  const blocks = CHANGES.map((kind) => ({ kind, own: changes.filter((change) => change.kind === kind) }));
  return blocks
    .filter(({ own }) => own.length > 0)
    .flatMap(({ kind, own }) => [`${own.length} ${TITLES[kind]}`, ...own.map(changeLine)])
    .join('\n');
}

function changeLine({ id, before, after, reason }: Change): string {
  const why = reason === undefined ? '' : `  ${reason}`;
  return `  ${(before ?? '').padEnd(12)} -> ${(after ?? '').padEnd(12)} ${id}${why}`;
}
