import type { ConcreteCase } from '../case/concrete-case.ts';
import type { Sources } from './declarations.ts';
import type { Defect } from './defects.ts';
import { locateEdits } from './locate-edits.ts';

/** What the gallery is held against. */
export interface GalleryContext {
  readonly defects: readonly Defect[];
  readonly cases: readonly ConcreteCase[];
  readonly clauses: ReadonlySet<string>;
  /** The reference. */
  readonly sources: Sources;
}

/** What is wrong with the gallery without running anything; empty when nothing is. */
export function checkGallery(context: GalleryContext): readonly string[] {
  return [...checkEntries(context), ...unknownKills(context), ...unlistedDefects(context)];
}

/** What is wrong with entries themselves, whoever lists them. */
export function checkEntries(context: GalleryContext): readonly string[] {
  return [...givenTwice(context), ...unknownClauses(context), ...misplacedEdits(context)];
}

/** Whether the case, when it fails, kills the defects it lists: a case of random draws is no proof. */
export function isKiller({ level, layer }: ConcreteCase): boolean {
  return level === 'must' && layer !== 'property';
}

function givenTwice({ defects }: GalleryContext): readonly string[] {
  const first = new Map<string, Defect>();
  return defects.flatMap((defect) => {
    const earlier = first.get(defect.id);
    if (earlier !== undefined) return [`${defect.place}: ${defect.id} is already at ${earlier.place}`];
    first.set(defect.id, defect);
    return [];
  });
}

function unknownClauses({ defects, clauses }: GalleryContext): readonly string[] {
  return defects.flatMap(({ id, place, clauses: cited }) =>
    cited.filter((clause) => !clauses.has(clause)).map((clause) => `${place}: ${id} cites unknown clause ${clause}`),
  );
}

function misplacedEdits({ defects, sources }: GalleryContext): readonly string[] {
  return defects.flatMap(({ id, place, edits }) =>
    locateEdits(edits, sources).problems.map((problem) => `${place}: ${id}: ${problem}`),
  );
}

function unknownKills({ defects, cases }: GalleryContext): readonly string[] {
  const known = new Set(defects.map(({ id }) => id));
  const found = cases.flatMap(({ baseId, file, kills }) =>
    kills.filter((id) => !known.has(id)).map((id) => `${file}: ${baseId} lists unknown defect ${id}`),
  );
  return [...new Set(found)];
}

function unlistedDefects({ defects, cases }: GalleryContext): readonly string[] {
  const listed = new Set(cases.filter(isKiller).flatMap(({ kills }) => kills));
  return defects
    .filter(({ id }) => !listed.has(id))
    .map(({ id, place }) => `${place}: no must-level case lists ${id} under kills`);
}
