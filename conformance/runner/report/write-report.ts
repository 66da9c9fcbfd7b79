import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../values/make-folder.ts';
import { withoutCredentials } from './without-credentials.ts';

/** A file of a report that could not be written; nothing of it is left. */
export class ReportLost extends Error {
  override readonly name = 'ReportLost';
  readonly file: string;
  /** For people: `the disk is full (ENOSPC)`. */
  readonly why: string;
  constructor(file: string, error: unknown) {
    const why = reasonOf(error);
    super(`${file}: could not be written: ${why}`);
    this.file = file;
    this.why = why;
  }
}

/**
 * Writes a file of a report without the credentials of the run, whole or not at all: half a report, or that of an earlier run, would be
 * taken for this one. Throws ReportLost.
 */
export async function writeReport(file: string, text: string): Promise<void> {
  try {
    await makeFolder(path.dirname(file));
    await writeFile(file, withoutCredentials(text));
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw new ReportLost(file, error);
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

function reasonOf(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return String(error);
  return FULL.has(error.code) ? `the disk is full (${String(error.code)})` : String(error.code);
}
