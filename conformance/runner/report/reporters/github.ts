import { appendFile } from 'node:fs/promises';
import { markdownText } from '../documents/markdown.ts';
import { reportFile } from '../report-file.ts';
import type { ReporterKind } from '../events.ts';
import type { CaseEntry, ReportFile } from '../report-schema.ts';
import { ALARMING } from '../summary.ts';

/** More annotations of a step than that are not shown there. */
const SHOWN = 10;

/** Annotations at the lines of the cases, and the summary of the step, as GitHub Actions reads them. */
export const githubReporter: ReporterKind = {
  name: 'github',
  text: 'annotations and step summary of GitHub Actions',
  create: ({ write, clause }) => ({
    ended: async (end) => {
      const report = reportFile(end, clause);
      write(annotations(report));
      const summary = process.env['GITHUB_STEP_SUMMARY'];
      if (summary !== undefined && summary !== '') await appendFile(summary, markdownText(report));
    },
  }),
};

/** A workflow command a line for each case that did not go well. */
export function annotations({ cases }: Pick<ReportFile, 'cases'>): string {
  const red = cases.filter(({ verdict }) => ALARMING.has(verdict));
  const lines = red.slice(0, SHOWN).map(annotation);
  const more = red.length <= SHOWN ? [] : [`::notice::${red.length - SHOWN} cases more are in the report`];
  return [...lines, ...more].map((line) => `${line}\n`).join('');
}

function annotation(entry: CaseEntry): string {
  const { id, verdict, level, file, failures = [], reason = '' } = entry;
  const kind = level === 'must' && verdict !== 'unstable' ? 'error' : 'warning';
  const line = failures[0]?.line ?? entry.line ?? 1;
  const said = failures.map(({ what, expected, actual }) => `${what}: expected ${expected}, got ${actual}`);
  const text = said.length === 0 ? reason : said.join('\n');
  return `::${kind} file=${property(file)},line=${line},title=${property(`${verdict} ${id}`)}::${escape(text)}`;
}

function escape(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escape(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
