import { EXIT } from '../../verdict/exit-code.ts';
import type { ReportFile } from '../report-schema.ts';
import type { ReportDocument } from './document.ts';

/** `badge.json`: the endpoint format of shields.io, for a README. */
export const badgeDocument: ReportDocument = {
  name: 'badge',
  file: 'badge.json',
  text: 'badge.json, an endpoint badge for a README',
  render: (report) => `${JSON.stringify(badgeOf(report))}\n`,
};

const COLORS: Readonly<Record<number, string>> = {
  [EXIT.passed]: 'brightgreen',
  [EXIT.failed]: 'red',
  [EXIT.unstable]: 'yellow',
};

function badgeOf({ summary, exitCode, cutShort, selection }: ReportFile): Readonly<Record<string, unknown>> {
  const red = summary.fail + summary.inconclusive + summary.stale + summary.error;
  const parts = [
    `${summary.pass} pass`,
    ...(red === 0 ? [] : [`${red} red`]),
    ...(summary.known === 0 ? [] : [`${summary.known} known`]),
    ...(cutShort === undefined ? [] : ['cut short']),
    // Part of the suite shows nothing about the rest.
    ...(selection?.whole === true && selection.shard === undefined ? [] : ['partial']),
  ];
  return { schemaVersion: 1, label: 'conformance', message: parts.join(', '), color: COLORS[exitCode] ?? 'lightgrey' };
}
