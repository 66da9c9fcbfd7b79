import path from 'node:path';
import type { CaseResult } from '../../schedule/case-result.ts';
import type { ReporterKind, RunEnd } from '../events.ts';
import { failureText, type FailureContext } from '../failure-text.ts';
import { writeReport } from '../write-report.ts';

/** `junit.xml` for CI systems. */
export const junitReporter: ReporterKind = {
  name: 'junit',
  text: 'junit.xml for CI systems',
  create: (options) => ({
    ended: async (end) => writeReport(path.join(options.out, 'junit.xml'), junitXml(end, options)),
  }),
};

const ELEMENT: Readonly<Partial<Record<CaseResult['verdict'], string>>> = {
  fail: 'failure',
  stale: 'failure',
  inconclusive: 'failure',
  error: 'error',
  // Nobody is accused, and nobody may take it for green.
  unstable: 'error',
  // What it stands on failed, and that is reported.
  blocked: 'skipped',
  unsupported: 'skipped',
  skipped: 'skipped',
  observe: 'skipped',
  known: 'skipped',
};

/** The XML of a run; one test suite per suite of cases. */
export function junitXml(end: RunEnd, context: FailureContext): string {
  const suites = Map.groupBy(end.results, (result) => result.case.suite);
  const body = [...suites].map(([name, results]) => suiteXml(name, results, context)).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="proxy-conformance" tests="${end.results.length}" time="${seconds(end.durationMs)}">\n${body}</testsuites>\n`;
}

function suiteXml(name: string, results: readonly CaseResult[], context: FailureContext): string {
  const count = (element: string): number => results.filter((result) => ELEMENT[result.verdict] === element).length;
  const counts = `tests="${results.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  return `  <testsuite name="${escape(name)}" ${counts}>\n${results.map((result) => caseXml(result, context)).join('')}  </testsuite>\n`;
}

function caseXml(result: CaseResult, context: FailureContext): string {
  const head = `    <testcase name="${escape(result.case.id)}" classname="${escape(result.case.suite)}" file="${escape(result.case.file)}" time="${seconds(result.durationMs)}"`;
  const element = ELEMENT[result.verdict];
  if (element === undefined) return `${head}/>\n`;
  const message = `message="${escape(`${result.verdict}: ${result.reason}`)}"`;
  if (element === 'skipped') return `${head}><skipped ${message}/></testcase>\n`;
  return `${head}><${element} ${message}>${escape(failureText(result, context))}</${element}></testcase>\n`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
};

// Bytes of a hostile answer may be in here; XML 1.0 has no place for control characters, not even as references.
function escape(text: string): string {
  const printable = text.replaceAll(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, '\uFFFD').toWellFormed();
  return printable.replaceAll(/[<>&"']/g, (character) => ENTITIES[character] ?? character);
}
