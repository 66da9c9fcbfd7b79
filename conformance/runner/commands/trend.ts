import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { compareReports } from '../report/compare-reports.ts';
import { readWholeReport } from '../report/read-report.ts';
import type { ReportFile } from '../report/report-schema.ts';
import { summaryLine } from '../report/summary.ts';
import { UsageFault } from '../sut/session.ts';
import { unreadable } from '../values/user-file.ts';
import { print } from './suite.ts';

/** `conform trend DIR`: a line for each report below a folder in the order of names, with what changed since the one before. */
export function addTrendCommand(program: Command): void {
  program
    .command('trend')
    .description('a line for each report in a folder, in the order of names, with what changed since the one before')
    .argument('<folder>', 'holds reports, or folders with a report each')
    .option('--json', 'JSON instead of lines', false)
    .action((folder: string, { json }: { readonly json: boolean }) => {
      const reports = reportsIn(folder);
      const rows = reports.map(({ name, report }, index) => rowOf(name, report, reports[index - 1]?.report));
      print(json ? JSON.stringify(rows, undefined, 2) : rows.map(rowText).join('\n'));
    });
}

interface Row {
  readonly name: string;
  readonly implementation: string;
  readonly suite: string;
  readonly summary: ReportFile['summary'];
  readonly durationMs: number;
  readonly worse: readonly string[];
  readonly better: readonly string[];
}

function reportsIn(folder: string): readonly { readonly name: string; readonly report: ReportFile }[] {
  const names = namesIn(folder).filter(
    (name) => /\.(json|ndjson)$/.test(name) || existsSync(path.join(folder, name, 'report.json')),
  );
  if (names.length === 0) throw new UsageFault(`${folder}: holds no reports`);
  return names.toSorted().map((name) => ({ name, report: readWholeReport(path.join(folder, name)) }));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new UsageFault(`${folder}: ${unreadable(error)}`);
  }
}

function rowOf(name: string, report: ReportFile, before: ReportFile | undefined): Row {
  const changes = before === undefined ? [] : compareReports(before, report);
  const ids = (kind: string): readonly string[] => changes.filter((change) => change.kind === kind).map(({ id }) => id);
  const { implementation, suite, summary, durationMs } = report;
  return {
    name,
    implementation: `${implementation.name} ${implementation.version ?? ''}`.trim(),
    suite: suite.version,
    summary,
    durationMs,
    worse: ids('worse'),
    better: ids('better'),
  };
}

function rowText({ name, implementation, suite, summary, durationMs, worse, better }: Row): string {
  const head = `${name}  ${implementation}, suite ${suite}: ${summaryLine(summary)} in ${(durationMs / 1000).toFixed(1)} s`;
  return [head, ...worse.map((id) => `  worse   ${id}`), ...better.map((id) => `  better  ${id}`)].join('\n');
}
