import type { Declaration, Sources } from './declarations.ts';
import type { Edit } from './defects.ts';
import { besides, declares, hitsAnywhere, hitsOf, placesAmong, type Hit } from './hits.ts';
import { isWord, renamedPlacesOf, tokensOf } from './text-pattern.ts';

/** An edit brought to where its text is now. */
export interface Followed {
  readonly edit: Edit;
  readonly hit: Hit;
  /** What the text says now for words it had; empty when it only moved. */
  readonly names: ReadonlyMap<string, string>;
}

/** Undefined when the edit has a place as it is, and when its text stands nowhere or in several declarations. */
export function followEdit(edit: Edit, sources: Sources): Followed | undefined {
  if (hitsOf(edit, sources).length > 0) return undefined;
  const names = new Map<string, string>();
  const moved = placeMoved(edit, sources);
  return moved === undefined ? followRenamed(edit, sources) : followTo(moved, edit, names, sources);
}

/** A text of code with other names; what stands behind a backslash is no name. */
export function renameWords(code: string, names: ReadonlyMap<string, string>): string {
  return code.replaceAll(/\\.|[\w$]+/g, (word) => names.get(word) ?? word);
}

/** An edit with other names in all its parts. */
export function renameEdit(edit: Edit, names: ReadonlyMap<string, string>): Edit {
  const nameOf = (name: string): string => names.get(name) ?? name;
  return {
    in: nameOf(edit.in),
    ...(edit.beside === undefined ? {} : { beside: nameOf(edit.beside) }),
    ...(edit.import === undefined ? {} : { import: edit.import.map(nameOf) }),
    find: renameWords(edit.find, names),
    replace: renameWords(edit.replace, names),
  };
}

/** The only place of the text, or the only one in a file that still declares what the edit names. */
function placeMoved(edit: Edit, sources: Sources): Hit | undefined {
  const hits = hitsAnywhere(edit.find, sources);
  if (hits.length === 1) return hits[0];
  const near = hits.filter(({ declaration: { file } }) => declares(file, edit.in, sources));
  return near.length === 1 ? near[0] : undefined;
}

/** So many tokens must be the same for each word that is another. */
const KEPT_FOR_EACH = 3;

/** Words that are gone from where the edit acts, all else being the same, were renamed. */
function followRenamed(edit: Edit, sources: Sources): Followed | undefined {
  const tokens = tokensOf(edit.find);
  const scope = sources.declared.get(edit.in) ?? [...sources.byFile.values()].flat();
  const gone = new Set(tokens.filter((token) => isWord(token) && isGone(token, edit, sources)));
  const kept = tokens.filter((token) => !gone.has(token)).length;
  if (gone.size === 0 || kept < KEPT_FOR_EACH * gone.size) return undefined;
  const [only, ...others] = renamedHits(edit.find, [...gone], scope, sources);
  return only === undefined || others.length > 0 ? undefined : followTo(only, edit, only.names, sources);
}

function isGone(word: string, { in: name }: Edit, { declared, texts }: Sources): boolean {
  const named = declared.get(name);
  if (named === undefined) return word === name || ![...texts.values()].some((text) => text.includes(word));
  return !named.some(({ file, start, end }) => tokensOf(texts.get(file)?.slice(start, end) ?? '').includes(word));
}

function renamedHits(find: string, words: readonly string[], scope: readonly Declaration[], sources: Sources) {
  return placesAmong(scope, sources, (text, span) => renamedPlacesOf(find, words, text, span));
}

function followTo(hit: Hit, edit: Edit, names: ReadonlyMap<string, string>, sources: Sources): Followed | undefined {
  const { beside: _, ...alone } = { ...renameEdit(edit, names), in: hit.declaration.name };
  const rivals = hitsOf(alone, sources);
  if (rivals.length === 1) return { edit: alone, hit, names };
  const [beside] = besides(hit, rivals, sources);
  const followed = { ...alone, beside };
  return beside !== undefined && hitsOf(followed, sources).length === 1 ? { edit: followed, hit, names } : undefined;
}
