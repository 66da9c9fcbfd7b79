import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { definitionFiles, schemaFiles } from '../../resources/crd/published-files.ts';

export interface CrdsFlags {
  /** Folder for one file per definition; without it they are printed. */
  readonly output?: string;
  /** Folder for one JSON Schema per kind. */
  readonly schemas?: string;
}

/** Prints or writes what is published of the kinds. Exit code 2 when a folder cannot be written. */
export function runCrds(flags: CrdsFlags, output: Writable, problems: Writable): number {
  try {
    if (flags.output !== undefined) write(flags.output, definitionFiles(), output);
    if (flags.schemas !== undefined) write(flags.schemas, schemaFiles(), output);
  } catch (error) {
    problems.write(`crds: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  if (flags.output === undefined && flags.schemas === undefined)
    output.write([...definitionFiles().values()].join('---\n'));
  return 0;
}

/** Node's own `mkdirSync` with `recursive` turns for ever below /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || dirname(folder) === folder)
      throw error;
    makeFolder(dirname(folder));
    mkdirSync(folder);
  }
}

function write(folder: string, files: ReadonlyMap<string, string>, output: Writable): void {
  makeFolder(resolve(folder));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  output.write(`wrote ${files.size} files to ${folder}\n`);
}
