import { nearest } from '../values/nearest.ts';
import type { Declaration, Sources } from './declarations.ts';
import type { Edit } from './defects.ts';
import { besides, declares, hitsAnywhere, hitsOf, placeOf, type Hit } from './hits.ts';

/** How many places a message lists. */
const LISTED = 3;

/** Why an edit has not exactly one place, and where it may have gone. */
export function explainEdit(edit: Edit, sources: Sources): string {
  const hits = hitsOf(edit, sources);
  if (hits.length > 0) return explainSeveral(edit, hits, sources);
  const { in: name, beside } = edit;
  const named = sources.declared.get(name) ?? [];
  if (named.length === 0) return `${name} is not declared any more; ${whereabouts(edit, sources)}`;
  const lone = beside !== undefined && !named.some(({ file }) => declares(file, beside, sources));
  if (lone) return `no file declares ${name} beside ${beside} any more; ${whereabouts(edit, sources)}`;
  return `the text to replace is not in ${name}; ${whereabouts(edit, sources)}`;
}

/**
 * The edit with the declaration that its text has moved to; undefined when it applies as it is, or when the text stands in
 * several declarations, or in none.
 */
export function followEdit(edit: Edit, sources: Sources): Edit | undefined {
  if (hitsOf(edit, sources).length > 0) return undefined;
  const hit = newPlace(edit, sources);
  if (hit === undefined) return undefined;
  const { beside: _, ...alone } = { ...edit, in: hit.declaration.name };
  const rivals = hitsOf(alone, sources);
  if (rivals.length === 1) return alone;
  const [beside] = besides(hit, rivals, sources);
  const followed = { ...alone, beside };
  return beside !== undefined && hitsOf(followed, sources).length === 1 ? followed : undefined;
}

/** The only place of the text, or the only one in a file that still declares what the edit names. */
function newPlace(edit: Edit, sources: Sources): Hit | undefined {
  const hits = hitsAnywhere(edit.find, sources);
  if (hits.length === 1) return hits[0];
  const near = hits.filter(({ declaration: { file } }) => declares(file, edit.in, sources));
  return near.length === 1 ? near[0] : undefined;
}

function explainSeveral({ in: name, beside }: Edit, hits: readonly Hit[], sources: Sources): string {
  const where = beside === undefined ? name : `${name} beside ${beside}`;
  const files = new Set(hits.map(({ declaration: { file } }) => file));
  const places = hits.map((hit) => {
    const [neighbour] = files.size > 1 ? besides(hit, hits, sources) : [];
    return neighbour === undefined ? placeOf(hit, sources) : `${placeOf(hit, sources)} is beside ${neighbour}`;
  });
  return `the text to replace occurs ${hits.length} times in ${where}: ${places.join(', ')}`;
}

function whereabouts(edit: Edit, sources: Sources): string {
  const hits = hitsAnywhere(edit.find, sources);
  const at = (hit: Hit): string => `${hit.declaration.name} (${placeOf(hit, sources)})`;
  const moved = newPlace(edit, sources);
  if (moved !== undefined) return `its text now stands in ${at(moved)}`;
  if (hits.length > LISTED) return `its text stands in ${hits.length} places${guess(edit, hits)}`;
  if (hits.length > 0) return `its text stands in ${hits.map(at).join(' and ')}`;
  const similar = similarLine(edit, sources);
  const line = similar === undefined ? '' : `; the most similar line is ${similar}`;
  return `its text stands nowhere${guess(
    edit,
    [...sources.byFile.values()].flat().map((declaration) => ({ declaration })),
  )}${line}`;
}

/** The name that is closest to the one that is gone. */
function guess({ in: name }: Edit, among: readonly { readonly declaration: Declaration }[]): string {
  const names = [...new Set(among.map(({ declaration }) => declaration.name))];
  if (names.includes(name)) return '';
  const found = nearest(name, names);
  return found === undefined ? '' : ` (did you mean in ${found}?)`;
}

const SIMILAR_ENOUGH = 0.6;

/** The line that has most words in common with the longest line of the text: what the edit names is looked at first. */
function similarLine({ in: name, find }: Edit, sources: Sources): string | undefined {
  const wanted = wordsOf(find.split('\n').toSorted((one, other) => other.length - one.length)[0] ?? '');
  const named = sources.declared.get(name) ?? [];
  const lines = (named.length > 0 ? named : [...sources.byFile.values()].flat()).flatMap((declaration) =>
    linesOf(declaration, sources),
  );
  const best = lines.reduce<{ readonly place: string; readonly share: number } | undefined>(
    (found, { place, text }) => {
      const share = likeness(wanted, wordsOf(text));
      return share >= SIMILAR_ENOUGH && share > (found?.share ?? 0)
        ? { place: `${place}: ${text.trim()}`, share }
        : found;
    },
    undefined,
  );
  return best?.place;
}

function linesOf({ file, start, end }: Declaration, { texts }: Sources) {
  const text = texts.get(file) ?? '';
  const first = text.slice(0, start).split('\n').length;
  return text
    .slice(start, end)
    .split('\n')
    .map((line, index) => ({ place: `${file}:${first + index}`, text: line }));
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\w+|[^\s\w]/g) ?? [];
}

/** From 0, nothing in common, to 1, the same words. */
function likeness(left: readonly string[], right: readonly string[]): number {
  const open = new Map<string, number>();
  for (const word of left) open.set(word, (open.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of right) {
    const count = open.get(word) ?? 0;
    if (count === 0) continue;
    open.set(word, count - 1);
    shared += 1;
  }
  return left.length + right.length === 0 ? 0 : (2 * shared) / (left.length + right.length);
}
