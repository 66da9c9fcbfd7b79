import { access, constants, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UsageFault } from '../sut/session.ts';

/** Makes the folder of reports. Throws UsageFault before anything is started when reports cannot be written there. */
export async function openOut(out: string): Promise<void> {
  try {
    await makeFolder(path.resolve(out));
    await access(out, constants.W_OK);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageFault(`--out ${out}: reports cannot be written there (${why})`);
  }
}

/** `mkdir` with `recursive` never ends below /proc, where a folder can neither be made nor be there. */
async function makeFolder(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => undefined);
  if (there?.isDirectory() === true) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder);
}
