import { RED } from '../../verdict/settle.ts';
import { VERDICTS } from '../../verdict/verdict.ts';
import type { CaseEntry, ReportFile } from '../report-schema.ts';
import { summarize } from '../summary.ts';
import type { ReportDocument } from './document.ts';

/** `summary.md` for a pull request or a job summary. */
export const markdownDocument: ReportDocument = {
  name: 'markdown',
  file: 'summary.md',
  text: 'summary.md for pull requests',
  render: markdownText,
};

/** The Markdown of a run: a table of suites, then what did not go well. */
export function markdownText(report: ReportFile): string {
  const { cases, cutShort } = report;
  const { name, version } = report.implementation;
  const shown = VERDICTS.filter((verdict) => (report.summary[verdict] ?? 0) > 0);
  const suites = [...Map.groupBy(cases, ({ suite }) => suite)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const rows = suites.map(([suite, results]) => {
    const counts = summarize(results);
    return `| ${suite} | ${shown.map((verdict) => (counts[verdict] === 0 ? '' : counts[verdict])).join(' | ')} |`;
  });
  return [
    `## ${name} ${version ?? ''}`.trim(),
    '',
    `${cases.length} cases in ${(report.durationMs / 1000).toFixed(1)} s, seed ${report.seed}${cutShort === undefined ? '' : `, cut short: ${cell(cutShort)}`}`,
    '',
    `| suite | ${shown.join(' | ')} |`,
    `|---|${shown.map(() => '---:').join('|')}|`,
    ...rows,
    ...tableOf(cases.filter(({ verdict }) => RED.has(verdict))),
    ...unstable(cases),
    ...knownFailures(report),
    '',
  ].join('\n');
}

function unstable(cases: readonly CaseEntry[]): readonly string[] {
  const rows = tableOf(cases.filter(({ verdict }) => verdict === 'unstable'));
  return rows.length === 0
    ? []
    : ['', '### Unstable', '', 'Alone these came out otherwise: nobody is accused.', ...rows];
}

function knownFailures({ knownProblems = [] }: ReportFile): readonly string[] {
  if (knownProblems.length === 0) return [];
  const lines = knownProblems.map((problem) => `- ${cell(problem)}`);
  return ['', '### Known failures', '', 'Entries of the list that no longer hold:', '', ...lines];
}

function tableOf(cases: readonly CaseEntry[]): readonly string[] {
  if (cases.length === 0) return [];
  const rows = cases.map(({ id, verdict, clauses, reason = '' }) => {
    const cited = clauses.map((clause) => clause.id).join(' ');
    return `| ${verdict} | \`${id}\` | ${cited} | ${cell(reason)} |`;
  });
  return ['', '| verdict | case | clauses | reason |', '|---|---|---|---|', ...rows];
}

function cell(text: string): string {
  return text.slice(0, 300).replaceAll('|', '\\|').replaceAll('`', "'").replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ');
}
