import { conformanceResult, type ConformanceResult } from './conformance-result.ts';
import type { ReportFile } from './report-schema.ts';

type Profile = ConformanceResult['profiles'][string];

/** A Markdown table: a row for each profile, a column for each implementation, required cases that passed of those that were judged. */
export function resultsGrid(results: readonly ConformanceResult[]): string {
  const profiles = [...new Set(results.flatMap(({ profiles: own }) => Object.keys(own)))];
  const names = results.map(({ implementation: { name, version } }) => cell(`${name} ${version ?? ''}`.trim()));
  const rows = profiles.map((profile) => {
    const cells = results.map((result) => profileCell(result.profiles[profile]));
    return `| ${profile} | ${cells.join(' | ')} |`;
  });
  return [
    `| profile | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---').join('|')}|`,
    ...rows,
    `| **conformant** | ${results.map(({ conformant }) => (conformant ? 'yes' : 'no')).join(' | ')} |`,
    '',
  ].join('\n');
}

/** The results of reports in their order. */
export function resultsOf(reports: readonly ReportFile[]): readonly ConformanceResult[] {
  return reports.map(conformanceResult);
}

function profileCell(profile: Profile | undefined): string {
  if (profile === undefined) return '';
  const { conformant, must } = profile;
  const judged = Object.entries(must).reduce(
    (total, [verdict, count]) => total + (verdict === 'unsupported' ? 0 : count),
    0,
  );
  const without = must.unsupported ?? 0;
  if (judged === 0) return 'not declared';
  const known = must.known === undefined ? '' : `, ${must.known} known`;
  return `${conformant ? '✓ ' : ''}${must.pass ?? 0} of ${judged}${known}${without === 0 ? '' : `, ${without} unsupported`}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ');
}
