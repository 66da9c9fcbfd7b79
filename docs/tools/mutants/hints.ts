import path from 'node:path';
import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import { readSources, type Sources } from '../../../conformance/runner/gallery/declarations.ts';
import { readGallery } from '../../../conformance/runner/gallery/defects.ts';
import { locateEdits } from '../../../conformance/runner/gallery/locate-edits.ts';
import type { Mutant } from './mutant.ts';

/** What leads from a place in the sources to cases that speak of it. */
export interface Hints {
  /** Cases that kill a defect of the gallery in the folder of a mutant, and how many lines are between the two. */
  readonly noticing: (mutant: Pick<Mutant, 'file' | 'line'>) => ReadonlyMap<string, number>;
  /** The clauses that the code names where a mutant stands. */
  readonly clauses: (mutant: Pick<Mutant, 'file' | 'line' | 'lastLine'>) => ReadonlySet<string>;
}

const GALLERY = 'conformance/gallery';

/** Reads what the sources and the gallery say. */
export async function readHints(root: string, cases: readonly ConcreteCase[]): Promise<Hints> {
  const [sources, { defects }] = await Promise.all([readSources(root), readGallery(path.join(root, GALLERY), GALLERY)]);
  const changes = new Map(
    defects.map(({ id, edits }) => [
      id,
      locateEdits(edits, sources).replacements.map(({ file, at }) => ({ file, line: lineAt(sources, file, at) })),
    ]),
  );
  const noticed = cases.flatMap(({ id, kills }) =>
    kills.flatMap((defect) => (changes.get(defect) ?? []).map((change) => ({ ...change, id }))),
  );
  const byFolder = Map.groupBy(noticed, ({ file }) => path.dirname(file));
  const lines = new Map([...sources.texts].map(([file, text]) => [file, text.split('\n')]));
  return {
    noticing: ({ file, line }) => {
      const distances = new Map<string, number>();
      for (const one of byFolder.get(path.dirname(file)) ?? []) {
        const distance = one.file === file ? Math.abs(one.line - line) : ANOTHER_FILE;
        distances.set(one.id, Math.min(distances.get(one.id) ?? Infinity, distance));
      }
      return distances;
    },
    clauses: (mutant) => clausesAt(lines.get(mutant.file) ?? [], mutant),
  };
}

function lineAt({ texts }: Sources, file: string, offset: number): number {
  return (texts.get(file) ?? '').slice(0, offset).split('\n').length;
}

/** Lines: farther than any place of the same file. */
const ANOTHER_FILE = 1000;

/** Ids of clauses, as comments and tables of rules have them. */
const CLAUSE = /\b[A-Z]+-\d{3}\b/g;

/** A clause stands above what it decides: above a declaration, or at the head of a row, which is not longer than that. */
const ABOVE = 8;

function clausesAt(lines: readonly string[], { line, lastLine }: Pick<Mutant, 'line' | 'lastLine'>): Set<string> {
  const within = lines.slice(line - 1, lastLine).flatMap(clausesOf);
  const above = lines.slice(Math.max(0, line - 1 - ABOVE), line - 1).findLast((text) => clausesOf(text).length > 0);
  return new Set([...within, ...clausesOf(above ?? '')]);
}

function clausesOf(text: string): readonly string[] {
  return text.match(CLAUSE) ?? [];
}
