import { appendFile } from 'node:fs/promises';
import { EXIT } from '../../verdict/exit-code.ts';
import { RED } from '../../verdict/settle.ts';
import { markdownText } from '../documents/markdown.ts';
import { reportFile } from '../report-file.ts';
import type { ReporterKind } from '../events.ts';
import type { CaseEntry, ReportFile } from '../report-schema.ts';
import { ALARMING } from '../summary.ts';
import { withoutCredentials } from '../without-credentials.ts';

/** More annotations of a step than that are not shown there. */
const SHOWN = 10;
/** A summary beyond 1 MiB is thrown away there. */
const SUMMARY_CHARACTERS = 250_000;

/** Annotations at the lines of the cases, and summary and outputs of the step, as GitHub Actions reads them. */
export const githubReporter: ReporterKind = {
  name: 'github',
  text: 'annotations, step summary and outputs of GitHub Actions',
  create: ({ out, write, clause }) => ({
    ended: async (end) => {
      const report = reportFile(end, clause);
      write(withoutCredentials(annotations(report)));
      await appendTo('GITHUB_STEP_SUMMARY', shortened(withoutCredentials(markdownText(report))));
      await appendTo('GITHUB_OUTPUT', outputs(report, out));
    },
  }),
};

function shortened(text: string): string {
  if (text.length <= SUMMARY_CHARACTERS) return text;
  const whole = text.slice(0, text.lastIndexOf('\n', SUMMARY_CHARACTERS));
  return `${whole}\n\nThe rest stands in summary.md of the report.\n`;
}

/** Appends to the file that a variable of the environment names; elsewhere than in a workflow there is none. */
async function appendTo(variable: string, text: string): Promise<void> {
  const file = process.env[variable];
  if (file !== undefined && file !== '') await appendFile(file, text);
}

/** What later steps may decide by. */
function outputs({ exitCode, cases, summary }: ReportFile, out: string): string {
  const [verdict = 'broken'] = Object.entries(EXIT).flatMap(([word, code]) => (code === exitCode ? [word] : []));
  const failed = cases.filter((entry) => RED.has(entry.verdict)).length;
  return `verdict=${verdict}\npassed=${summary.pass}\nfailed=${failed}\nreport=${out}\n`;
}

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
