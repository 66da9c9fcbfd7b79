import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { reportText } from '../report/conformance-result.ts';
import { reportPage } from '../report/documents/html.ts';
import { markdownText } from '../report/documents/markdown.ts';
import { reportDocuments } from '../report/documents/registry.ts';
import { DEFAULT_OUT } from '../report/events.ts';
import { mergeReports } from '../report/merge-reports.ts';
import { openOut } from '../report/open-out.ts';
import { readWholeReport, reportFolder } from '../report/read-report.ts';
import type { ReportFile } from '../report/report-schema.ts';
import { summaryLine } from '../report/summary.ts';
import { writeReport } from '../report/write-report.ts';
import { UsageFault } from '../sut/session.ts';
import { clauseTexts } from './clause-texts.ts';
import { oneOf } from './options.ts';
import { print } from './suite.ts';

const names = Object.keys(reportDocuments);

/** `conform report write PLACE...` and `conform report merge PLACE...`: texts made of reports that are there. */
export function addReportCommand(program: Command): void {
  const report = program.command('report').description('make other texts of reports, or one report of shards');
  report
    .command('write')
    .description('write documents of a report, or one page of several reports side by side')
    .argument('<place...>', 'report.json, events.ndjson, or the folder it lies in')
    .option('--as <name>', `${names.join(', ')} (repeatable)`, oneOf(names), undefined)
    .option('--out <folder>', 'where they go', DEFAULT_OUT)
    .action(write);
  report
    .command('merge')
    .description('one report of all shards of a run, with what they show about each failure')
    .argument('<place...>', 'the reports of the shards')
    .option('--out <folder>', 'where it goes', DEFAULT_OUT)
    .action(merge);
}

interface WriteFlags {
  readonly as?: readonly string[];
  readonly out: string;
}

async function write(places: readonly string[], { as = ['html'], out }: WriteFlags): Promise<void> {
  const reports = places.map(readWholeReport);
  const [first] = reports;
  if (first === undefined) return;
  if (reports.length > 1 && as.some((name) => name !== 'html'))
    throw new UsageFault('only html shows several reports side by side; give one report for the others');
  await openOut(out);
  if (reports.length > 1) return writeText(path.join(out, 'report.html'), await reportPage(reports));
  const clause = await clauseTexts();
  for (const name of as) {
    const document = reportDocuments[name];
    if (document !== undefined)
      await writeText(path.join(out, document.file), await document.render(first, { clause }));
  }
}

async function merge(places: readonly string[], { out }: { readonly out: string }): Promise<void> {
  const shards = places.map((place) => ({ place, report: readWholeReport(place) }));
  const report = mergeReports(shards);
  await openOut(out);
  for (const { place, report: one } of shards) {
    const lost = await copyNamed(one, reportFolder(place), out);
    // The verdicts are in the report itself; what is gone is what was seen of them.
    if (lost.length > 0)
      process.stderr.write(
        `${place}: lacks ${lost.length} files that its report names, such as ${lost[0] ?? ''}; the rest is merged\n`,
      );
  }
  await writeText(path.join(out, 'report.json'), reportText(report));
  await writeText(path.join(out, 'report.html'), await reportPage([report]));
  await writeText(path.join(out, 'summary.md'), markdownText(report));
  print(`${summaryLine(report.summary)} in ${shards.length} shards`);
  process.exitCode = report.exitCode;
}

/** What a report names stands beside it. The answer names the files that are not there. */
async function copyNamed({ cases }: ReportFile, from: string, to: string): Promise<readonly string[]> {
  const lost: string[] = [];
  if (path.resolve(from) === path.resolve(to)) return lost;
  for (const file of new Set(cases.flatMap(({ evidence }) => filesOf(evidence)))) {
    if (!existsSync(path.join(from, file))) {
      lost.push(file);
      continue;
    }
    await mkdir(path.dirname(path.join(to, file)), { recursive: true });
    await copyFile(path.join(from, file), path.join(to, file));
  }
  return lost;
}

function filesOf(evidence: ReportFile['cases'][number]['evidence']): readonly string[] {
  if (evidence === undefined) return [];
  const named = [...JSON.stringify(evidence).matchAll(/"file":"(failures\/[\w./-]+)"/g)].flatMap(
    ([, file]) => file ?? [],
  );
  return [...evidence.configurations, ...named].filter((file) => !file.split('/').includes('..'));
}

async function writeText(file: string, text: string): Promise<void> {
  await writeReport(file, text);
  print(`wrote ${file}`);
}
