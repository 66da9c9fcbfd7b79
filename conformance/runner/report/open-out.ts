import { access, constants } from 'node:fs/promises';
import { UsageFault } from '../sut/session.ts';
import { makeFolder } from '../values/make-folder.ts';

/** Makes the folder of reports. Throws UsageFault before anything is started when reports cannot be written there. */
export async function openOut(out: string): Promise<void> {
  try {
    await makeFolder(out);
    await access(out, constants.W_OK);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageFault(`--out ${out}: reports cannot be written there (${why})`);
  }
}
