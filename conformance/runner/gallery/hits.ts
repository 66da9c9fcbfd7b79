import type { Declaration, Sources } from './declarations.ts';
import type { Edit } from './defects.ts';
import { placesOf, tokensOf, type Span } from './text-pattern.ts';

/** Where the text of an edit stands: offsets into the file of the declaration around it. */
export interface Hit extends Span {
  readonly declaration: Declaration;
}

/** Where the text stands in the declarations that the edit names. */
export function hitsOf({ in: name, beside, find }: Edit, sources: Sources): readonly Hit[] {
  const named = sources.declared.get(name) ?? [];
  const meant = named.filter(({ file }) => beside === undefined || declares(file, beside, sources));
  return placesAmong(meant, sources, (text, span) => placesOf(find, text, span));
}

/** Where the text stands in any declaration of the reference. */
export function hitsAnywhere(find: string, sources: Sources): readonly Hit[] {
  // A look for one word spares most files the look for the pattern.
  const word = tokensOf(find).toSorted((one, other) => other.length - one.length)[0] ?? '';
  const declarations = [...sources.byFile].flatMap(([file, all]) =>
    sources.texts.get(file)?.includes(word) ? all : [],
  );
  return placesAmong(declarations, sources, (text, span) => placesOf(find, text, span));
}

/** What a search finds in declarations; each place once, also where a destructuring declares several names around it. */
export function placesAmong<Found extends Span>(
  declarations: readonly Declaration[],
  { texts }: Sources,
  search: (text: string, span: Span) => readonly Found[],
): readonly (Found & Hit)[] {
  const hits = declarations.flatMap((declaration) =>
    search(texts.get(declaration.file) ?? '', declaration).map((found) => ({ ...found, declaration })),
  );
  return [...new Map(hits.map((hit) => [`${hit.declaration.file}:${hit.start}`, hit])).values()];
}

/** Names that tell the file of one hit from the files of the others, for `beside`; the most telling first. */
export function besides({ declaration }: Hit, hits: readonly Hit[], sources: Sources): readonly string[] {
  const others = hits.map((hit) => hit.declaration.file).filter((file) => file !== declaration.file);
  const near = (sources.byFile.get(declaration.file) ?? []).filter(({ name }) => name !== declaration.name);
  const telling = near.filter(({ name }) => !others.some((file) => declares(file, name, sources)));
  const rank = ({ name, exported }: Declaration): number =>
    (exported ? 2 : 0) + (sources.declared.get(name)?.length === 1 ? 1 : 0);
  return telling.toSorted((one, other) => rank(other) - rank(one)).map(({ name }) => name);
}

/** `FILE:LINE` of a hit. */
export function placeOf({ declaration: { file }, start }: Hit, { texts }: Sources): string {
  return `${file}:${(texts.get(file) ?? '').slice(0, start).split('\n').length}`;
}

/** Whether the file declares the name. */
export function declares(file: string, name: string, { declared }: Sources): boolean {
  return declared.get(name)?.some((one) => one.file === file) ?? false;
}
