// `npm run slow-cases -- reports/latest/report.json`: writes conformance/cases/slow-cases.json, from which a machine that has not run the
// suite yet learns which cases to begin early. The report is one of the reference on a quiet machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { slowCasesFile, slowOnes } from '../../conformance/runner/schedule/past-durations.ts';

interface Report {
  readonly cases: readonly { readonly id: string; readonly durationMs: number; readonly stretch?: number }[];
}

const [file = 'reports/latest/report.json'] = process.argv.slice(2);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as Report;
const slow = slowOnes(cases);
writeFileSync(slowCasesFile(), `${JSON.stringify(Object.fromEntries(slow), undefined, 2)}\n`);
console.log(`${slow.size} of ${cases.length} cases are slow`);
