import path from 'node:path';
import { reportText } from '../conformance-result.ts';
import type { ReporterKind, RunEnd } from '../events.ts';
import { fileEvidence } from '../evidence-files.ts';
import { reportFile } from '../report-file.ts';
import { writeReport } from '../write-report.ts';

/** `report.json` for programs; its schema is published in schemas/report.schema.json. */
export const jsonReporter: ReporterKind = {
  name: 'json',
  text: 'report.json for programs, and the files it names',
  create: ({ out, clause }) => ({
    ended: async (end) => {
      // Verdicts first: what they name may be too much for a disk that holds them.
      await writeReport(path.join(out, 'report.json'), reportText(reportFile(end, clause)));
      await writeNamed(end, out);
    },
  }),
};

async function writeNamed({ results }: RunEnd, out: string): Promise<void> {
  for (const [file, text] of results.flatMap((result) => [...(fileEvidence(result)?.files ?? [])])) {
    await writeReport(path.join(out, file), text);
  }
}
