import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from './cache.ts';
import { once } from './once.ts';
import { packageRoot } from './package-root.ts';

/** The programs that read and check cases, as sources or as built; with the versions of their libraries. */
const PROGRAM = ['package.json', 'conformance/runner', 'mocks', 'dist/conformance/runner', 'dist/mocks'];

/** Stands for the programs of this package in the key of whatever they have worked out. */
export const programFingerprint = once(() => textsFingerprint(PROGRAM));

/** Stands for the content of files and folders of this package; one that is not there counts as empty. */
export function textsFingerprint(names: readonly string[]): string {
  return fingerprint(names.flatMap((name) => textsBelow(path.join(packageRoot(), name))));
}

// Tests and the cases they bring decide nothing about other cases.
function textsBelow(name: string): readonly string[] {
  if (!existsSync(name) || path.basename(name) === 'test') return [];
  if (!statSync(name).isDirectory()) return [path.relative(packageRoot(), name), readFileSync(name, 'utf8')];
  return readdirSync(name)
    .toSorted()
    .flatMap((entry) => textsBelow(path.join(name, entry)));
}
