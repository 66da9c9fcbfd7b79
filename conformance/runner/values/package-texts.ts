import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from './cache.ts';
import { once } from './once.ts';
import { packageRoot } from './package-root.ts';

/** The programs that read and check cases, as sources or as built; with the versions of their libraries. */
const PROGRAM = ['package.json', 'conformance/runner', 'mocks', 'dist/conformance/runner', 'dist/mocks'];

/** Stands for the programs of this package in the key of whatever they have worked out. */
export const programFingerprint = once(() => fileFingerprint(PROGRAM));

/**
 * Stands for files and folders of this package as they are now; one that is not there counts as empty. Size and the times of the last
 * change of each file stand for its content: reading megabytes of source would be most of the time of a short command.
 */
export function fileFingerprint(names: readonly string[]): string {
  return fingerprint(names.flatMap((name) => statesBelow(path.join(packageRoot(), name))));
}

// Tests and the cases they bring decide nothing about other cases.
function statesBelow(name: string): readonly string[] {
  const stats = statSync(name, { throwIfNoEntry: false });
  if (stats === undefined || path.basename(name) === 'test') return [];
  if (!stats.isDirectory())
    return [`${path.relative(packageRoot(), name)} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`];
  return readdirSync(name)
    .toSorted()
    .flatMap((entry) => statesBelow(path.join(name, entry)));
}
