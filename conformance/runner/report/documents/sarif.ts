import { ALARMING } from '../summary.ts';
import type { CaseEntry, ReportFile } from '../report-schema.ts';
import type { DocumentContext, ReportDocument } from './document.ts';

/** `report.sarif`: SARIF 2.1.0 for code scanning; a rule for each clause, a result for each case that did not go well. */
export const sarifDocument: ReportDocument = {
  name: 'sarif',
  file: 'report.sarif',
  text: 'report.sarif (SARIF 2.1.0) for code scanning',
  render: (report, context) => `${JSON.stringify(sarifOf(report, context), null, 2)}\n`,
};

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

function sarifOf(report: ReportFile, { clause }: DocumentContext): Readonly<Record<string, unknown>> {
  const red = report.cases.filter(({ verdict }) => ALARMING.has(verdict));
  const ids = [...new Set(red.map(ruleOf))].toSorted();
  const rules = ids.map((id) => {
    const known = clause(id);
    return {
      id,
      shortDescription: { text: known?.statement ?? id },
      ...(known === undefined ? {} : { fullDescription: { text: `${known.statement} (${known.source})` } }),
    };
  });
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: report.suite.name, version: report.suite.version, rules } },
        results: red.map((entry) => resultOf(entry, ids)),
        invocations: [
          {
            executionSuccessful: report.cutShort === undefined,
            exitCode: report.exitCode,
            ...(report.cutShort === undefined ? {} : { exitCodeDescription: report.cutShort }),
          },
        ],
      },
    ],
  };
}

/** The clause that a case is about; the case itself where it cites none. */
function ruleOf({ clauses, id }: CaseEntry): string {
  return clauses[0]?.id ?? id;
}

function resultOf(entry: CaseEntry, rules: readonly string[]): Readonly<Record<string, unknown>> {
  const { id, title, verdict, level, file, line = 1, failures = [] } = entry;
  const ruleId = ruleOf(entry);
  const said = failures.map(({ what, expected, actual }) => `${what}: expected ${expected}, got ${actual}`);
  return {
    ruleId,
    ruleIndex: rules.indexOf(ruleId),
    level: level === 'must' && verdict !== 'unstable' ? 'error' : 'warning',
    message: {
      text: [`${verdict}: ${id} (${title})`, ...(said.length === 0 ? [entry.reason ?? ''] : said)].join('\n'),
    },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file },
          region: { startLine: failures[0]?.line ?? line },
        },
      },
    ],
    partialFingerprints: { caseId: id },
  };
}
