import path from 'node:path';
import type { ReportDocument } from '../documents/document.ts';
import type { ReporterKind } from '../events.ts';
import { reportFile } from '../report-file.ts';
import { writeReport } from '../write-report.ts';

/** The reporter that writes a document at the end of a run. */
export function documentReporter({ name, file, text, render }: ReportDocument): ReporterKind {
  return {
    name,
    text,
    create: ({ out, clause }) => ({
      ended: async (end) => writeReport(path.join(out, file), await render(reportFile(end, clause), { clause })),
    }),
  };
}
