import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from './once.ts';

const NAME = 'proxy-conformance';

/** Folder of this package: cases, docs/spec and the gallery lie there, in a checkout as in an installed package. It is asked for by every file that is looked at. */
export const packageRoot = once(findRoot);

/** Version of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}

function findRoot(): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!isRoot(folder)) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`no package.json named ${NAME} above ${fileURLToPath(import.meta.url)}`);
    folder = parent;
  }
  return folder;
}

function isRoot(folder: string): boolean {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return false;
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === NAME;
}
