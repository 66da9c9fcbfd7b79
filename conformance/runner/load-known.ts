import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from './sut/manifest.ts';
import { UsageFault } from './sut/session.ts';
import { parseKnownFailures, type KnownFailure } from './verdict/known-failures.ts';

/** The failures a user knows of: from the file they name, else from that of the manifest. Throws UsageFault. */
export async function loadKnown(named: string | undefined, manifest: Manifest): Promise<readonly KnownFailure[]> {
  const { known, folder } = manifest;
  const file = named ?? (known === undefined ? undefined : path.resolve(folder, known));
  if (file === undefined) return [];
  try {
    return parseKnownFailures(file, await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageFault(error instanceof Error ? error.message : String(error));
  }
}
