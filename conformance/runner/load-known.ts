import path from 'node:path';
import type { ConcreteCase } from './case/concrete-case.ts';
import { loadSuite } from './load-suite.ts';
import type { Manifest } from './sut/manifest.ts';
import { UsageFault } from './sut/session.ts';
import { nearest } from './values/nearest.ts';
import { readUserFile } from './values/user-file.ts';
import { names, parseKnownFailures, type KnownFailure } from './verdict/known-failures.ts';

/**
 * The failures a user knows of: from the file they name, none when that is false, otherwise from the file that the manifest names. Throws
 * UsageFault with everything that is wrong with it.
 */
export function loadKnown(named: string | false | undefined, manifest: Manifest): readonly KnownFailure[] {
  if (named === false) return [];
  const file = named ?? knownFileOf(manifest);
  return file === undefined ? [] : readKnown(file);
}

/** The file that a manifest names under `known`. */
export function knownFileOf({ known, file }: Manifest): string | undefined {
  if (known === undefined || path.isAbsolute(known)) return known;
  return path.join(path.dirname(file), known);
}

/** The entries of a file; a draft may still have reasons to fill in. Throws UsageFault. */
export function readKnown(file: string, as: 'complete' | 'draft' = 'complete'): readonly KnownFailure[] {
  const read = readUserFile(file);
  if ('problem' in read) throw new UsageFault(read.problem);
  const known = parseKnownFailures(file, read.text, as);
  if ('problems' in known) throw new UsageFault(known.problems.join('\n'));
  return known.entries;
}

/** Throws UsageFault for entries that name none of the cases, each with the case that may have been meant. */
export async function requireNamedCases(
  entries: readonly KnownFailure[],
  cases: readonly Pick<ConcreteCase, 'id'>[],
  folder?: string,
): Promise<void> {
  const unmatched = entries.filter((entry) => !cases.some(({ id }) => names(entry, id)));
  if (unmatched.length === 0) return;
  const { read } = await loadSuite({ folder });
  throw new UsageFault(unmatched.map((entry) => describeUnmatched(entry, read)).join('\n'));
}

function describeUnmatched({ place, case: pattern }: KnownFailure, cases: readonly ConcreteCase[]): string {
  const rows = cases.some(({ baseId }) => baseId === pattern);
  const known = [...new Set(cases.flatMap(({ id, baseId }) => [id, baseId]))];
  const hint = rows ? `${pattern}[*]` : nearest(pattern, known);
  return `${place} no case matches ${pattern}${hint === undefined ? '' : `, did you mean ${hint}?`}`;
}
