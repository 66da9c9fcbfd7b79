import { stringify } from 'yaml';
import { conformanceResult } from '../conformance-result.ts';
import type { ReportDocument } from './document.ts';

const HEAD =
  '# What a run of the conformance suite showed, to be published. Made by `conform run --submit`; the report it names is the evidence.\n';

/** `result.yaml`: the conformance result that an implementation publishes. */
export const resultDocument: ReportDocument = {
  name: 'result',
  file: 'result.yaml',
  text: 'result.yaml, the conformance result to publish',
  render: (report) => `${HEAD}${stringify(conformanceResult(report), { lineWidth: 0 })}`,
};
