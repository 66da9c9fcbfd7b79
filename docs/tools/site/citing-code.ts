import { globSync, readFileSync } from 'node:fs';

/** A place in the reference that says which clause it follows. */
export interface Citation {
  readonly file: string;
  readonly line: number;
  /** The line itself. */
  readonly text: string;
}

const CLAUSE = /\b[A-Z][A-Z0-9]*-\d{3}\b/g;

/** Where the reference cites each clause; `A-001 to A-004` counts for the two that are written. */
export function findCitations(): ReadonlyMap<string, readonly Citation[]> {
  const found = new Map<string, Citation[]>();
  for (const file of globSync('reference-impl/**/*.ts').toSorted()) {
    if (file.includes('/test/')) continue;
    for (const [index, text] of readFileSync(file, 'utf8').split('\n').entries())
      for (const [id] of text.matchAll(CLAUSE))
        found.set(id, [...(found.get(id) ?? []), { file, line: index + 1, text: text.trim() }]);
  }
  return found;
}
