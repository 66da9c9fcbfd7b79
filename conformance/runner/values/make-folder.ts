import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder and those it lies in; one that is there is left as it is. Throws what the system says, with its `code`. Node's own
 * `mkdir` with `recursive` turns for ever below /proc, where a folder can neither be made nor be there.
 */
export async function makeFolder(folder: string): Promise<void> {
  const full = path.resolve(folder);
  const failed = await makeOne(full);
  if (failed === undefined) return;
  const parent = path.dirname(full);
  if (codeOf(failed) !== 'ENOENT' || parent === full) throw failed;
  await makeFolder(parent);
  const again = await makeOne(full);
  if (again !== undefined) throw again;
}

/** What the system says when there is no such folder afterwards. */
async function makeOne(folder: string): Promise<unknown> {
  try {
    await mkdir(folder);
    return undefined;
  } catch (error) {
    const isThere = codeOf(error) === 'EEXIST' && (await stat(folder)).isDirectory();
    return isThere ? undefined : error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
