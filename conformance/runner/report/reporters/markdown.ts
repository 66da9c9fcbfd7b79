import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CaseResult } from '../../schedule/case-result.ts';
import { RED } from '../../verdict/settle.ts';
import { VERDICTS } from '../../verdict/verdict.ts';
import type { ReporterKind, RunEnd } from '../events.ts';
import { summarize } from '../summary.ts';

/** `summary.md` for a pull request or a job summary. */
export const markdownReporter: ReporterKind = {
  name: 'markdown',
  text: 'summary.md for pull requests',
  create: ({ out }) => ({ ended: async (end) => writeFile(path.join(out, 'summary.md'), markdownText(end)) }),
};

/** The Markdown of a run: a table of suites, then what did not go well. */
export function markdownText(end: RunEnd): string {
  const { name, version } = end.implementation;
  const shown = VERDICTS.filter((verdict) => end.summary[verdict] > 0);
  const suites = [...Map.groupBy(end.results, (result) => result.case.suite)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const rows = suites.map(([suite, results]) => {
    const counts = summarize(results);
    return `| ${suite} | ${shown.map((verdict) => (counts[verdict] === 0 ? '' : counts[verdict])).join(' | ')} |`;
  });
  return [
    `## ${name} ${version ?? ''}`.trim(),
    '',
    `${end.results.length} cases in ${(end.durationMs / 1000).toFixed(1)} s, seed ${end.seed}${end.cutShort === undefined ? '' : `, cut short: ${cell(end.cutShort)}`}`,
    '',
    `| suite | ${shown.join(' | ')} |`,
    `|---|${shown.map(() => '---:').join('|')}|`,
    ...rows,
    ...tableOf(end.results.filter(({ verdict }) => RED.has(verdict))),
    ...unstable(end.results),
    ...knownProblems(end),
    '',
  ].join('\n');
}

function unstable(results: readonly CaseResult[]): readonly string[] {
  const rows = tableOf(results.filter(({ verdict }) => verdict === 'unstable'));
  return rows.length === 0
    ? []
    : ['', '### Unstable', '', 'Alone these came out otherwise: nobody is accused.', ...rows];
}

function knownProblems({ problems = [] }: RunEnd): readonly string[] {
  if (problems.length === 0) return [];
  const lines = problems.map((problem) => `- ${cell(problem)}`);
  return ['', '### Known failures', '', 'Entries of the list that no longer hold:', '', ...lines];
}

function tableOf(results: readonly CaseResult[]): readonly string[] {
  if (results.length === 0) return [];
  const rows = results.map((result) => {
    const clauses = result.case.clauses.map((clause) => clause.id).join(' ');
    return `| ${result.verdict} | \`${result.case.id}\` | ${clauses} | ${cell(result.reason)} |`;
  });
  return ['', '| verdict | case | clauses | reason |', '|---|---|---|---|', ...rows];
}

function cell(text: string): string {
  return text.slice(0, 300).replaceAll('|', '\\|').replaceAll('`', "'").replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ');
}
