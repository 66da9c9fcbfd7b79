import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { CaseResult } from '../../schedule/case-result.ts';
import type { ReporterKind, ReporterOptions } from '../events.ts';
import { fileEvidence, folderOf } from '../evidence-files.ts';
import { failureText } from '../failure-text.ts';
import { writeReport } from '../write-report.ts';

const TEXT = 'failure.txt';

/** A folder for each case that did not go well: everything about it as text, the configuration, and long bodies. */
export const failuresReporter: ReporterKind = {
  name: 'failures',
  text: 'failures/CASE/ with everything about a case that did not go well',
  create: (options) => ({
    ended: async ({ results }) => {
      await removeEarlier(options.out);
      for (const result of results) if (result.evidence !== undefined) await writeFailure(result, options);
    },
  }),
};

async function writeFailure(result: CaseResult, { out, clause, again }: ReporterOptions): Promise<void> {
  const folder = path.join(out, folderOf(result));
  await writeReport(path.join(folder, TEXT), `${failureText(result, { clause, again, out, full: true })}\n`);
  for (const [file, text] of fileEvidence(result)?.files ?? []) await writeReport(path.join(out, file), text);
}

/** Folders of the run before; whatever else lies there is somebody else's. */
async function removeEarlier(out: string): Promise<void> {
  const below = path.join(out, 'failures');
  const names = await readdir(below).catch(() => []);
  for (const name of names) {
    const files = await readdir(path.join(below, name)).catch((): string[] => []);
    if (files.includes(TEXT)) await rm(path.join(below, name), { recursive: true });
  }
}
