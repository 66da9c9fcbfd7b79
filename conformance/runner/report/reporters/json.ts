import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReporterKind } from '../events.ts';
import { reportFile } from '../report-file.ts';

/** `report.json` for programs; its schema is published in schemas/report.schema.json. */
export const jsonReporter: ReporterKind = {
  name: 'json',
  text: 'report.json for programs',
  create: ({ out }) => ({
    ended: async (end) => writeFile(path.join(out, 'report.json'), `${JSON.stringify(reportFile(end), null, 2)}\n`),
  }),
};
