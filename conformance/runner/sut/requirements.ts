import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Those of the named programs that are on no folder of PATH as an executable file. */
export function missingPrograms(names: readonly string[], search = process.env['PATH'] ?? ''): readonly string[] {
  const folders = search.split(path.delimiter).filter((folder) => folder !== '');
  return names.filter((name) => !folders.some((folder) => isExecutable(path.join(folder, name))));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
