import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

function write(folder: string, files: ReadonlyMap<string, string>, output: Writable): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  output.write(`wrote ${files.size} files to ${folder}\n`);
}
