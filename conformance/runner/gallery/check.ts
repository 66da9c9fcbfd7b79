import type { ConcreteCase } from '../case/concrete-case.ts';
import type { Defect, Edit } from './defects.ts';

/** What the gallery is held against. */
export interface GalleryContext {
  readonly defects: readonly Defect[];
  readonly cases: readonly ConcreteCase[];
  readonly clauses: ReadonlySet<string>;
  /** The text of a source file of the reference; undefined when there is none. */
  readonly source: (file: string) => string | undefined;
}

/** What is wrong with the gallery without running anything; empty when nothing is. */
export function checkGallery(context: GalleryContext): readonly string[] {
  return [
    ...givenTwice(context),
    ...unknownClauses(context),
    ...misplacedEdits(context),
    ...unknownKills(context),
    ...unlisted(context),
  ];
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

function misplacedEdits({ defects, source }: GalleryContext): readonly string[] {
  return defects.flatMap(({ id, place, edits }) =>
    edits.flatMap((edit) => {
      const problem = editProblem(edit, source(edit.file));
      return problem === undefined ? [] : [`${place}: ${id}: ${problem}`];
    }),
  );
}

function editProblem({ file, find, replace }: Edit, text: string | undefined): string | undefined {
  if (text === undefined) return `${file} does not exist`;
  const count = text.split(find).length - 1;
  if (count !== 1) return `the text to replace occurs ${count} times in ${file}: ${find}`;
  return find === replace ? `the edit of ${file} changes nothing` : undefined;
}

function unknownKills({ defects, cases }: GalleryContext): readonly string[] {
  const known = new Set(defects.map(({ id }) => id));
  const found = cases.flatMap(({ baseId, file, kills }) =>
    kills.filter((id) => !known.has(id)).map((id) => `${file}: ${baseId} lists unknown defect ${id}`),
  );
  return [...new Set(found)];
}

function unlisted({ defects, cases }: GalleryContext): readonly string[] {
  const listed = new Set(cases.filter(isKiller).flatMap(({ kills }) => kills));
  return defects
    .filter(({ id }) => !listed.has(id))
    .map(({ id, place }) => `${place}: no must-level case lists ${id} under kills`);
}
