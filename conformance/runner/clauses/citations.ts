import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Register } from './register.ts';

/** A place that names an id of the register. */
export interface CitationPlace {
  readonly file: string;
  readonly line: number;
  readonly id: string;
}

// Upper-case, a dash and three digits is also how other things are called; only areas of the register count.
const ID = /\b([A-Z][A-Z0-9]*)-(\d{3})\b(?!-?\d)/g;

/** Every id of the register that the files below a folder name, with file and line. A folder that is not there has none. */
export async function findCitations(
  root: string,
  folder: string,
  endings: readonly string[],
): Promise<readonly CitationPlace[]> {
  const names = await readdir(path.join(root, folder), { recursive: true }).catch(() => []);
  const files = names.filter(
    (name) => endings.some((ending) => name.endsWith(ending)) && !name.includes('node_modules'),
  );
  const found = await Promise.all(files.toSorted().map((name) => inFile(root, path.join(folder, name))));
  return found.flat();
}

/** Every id of the register's form in a text, in its order. */
export function findIds(text: string): readonly string[] {
  return [...text.matchAll(ID)].map(([id]) => id);
}

/** Citations of ids that the register does not know, although it has the area. */
export function unknownCitations(
  places: readonly CitationPlace[],
  register: Pick<Register, 'areas' | 'clauses' | 'openPoints' | 'contradictions'>,
): readonly CitationPlace[] {
  const areas = new Set([...register.areas.map(({ area }) => area), 'U', 'A']);
  const known = new Set([
    ...register.clauses.keys(),
    ...register.openPoints.map(({ id }) => id),
    ...register.contradictions.map(({ id }) => id),
  ]);
  return places.filter(({ id }) => areas.has(id.replace(/-\d{3}$/, '')) && !known.has(id));
}

async function inFile(root: string, file: string): Promise<readonly CitationPlace[]> {
  const lines = (await readFile(path.join(root, file), 'utf8')).split('\n');
  return lines.flatMap((text, index) => findIds(text).map((id) => ({ file, line: index + 1, id })));
}
