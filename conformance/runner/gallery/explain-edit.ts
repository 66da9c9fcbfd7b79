import { nearest } from '../values/nearest.ts';
import type { Declaration, Sources } from './declarations.ts';
import type { Edit } from './defects.ts';
import { followEdit, type Followed } from './follow-edit.ts';
import { besides, declares, hitsAnywhere, hitsOf, placeOf, type Hit } from './hits.ts';
import { tokensOf } from './text-pattern.ts';

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
  const followed = followEdit(edit, sources);
  const at = (hit: Hit): string => `${hit.declaration.name} (${placeOf(hit, sources)})`;
  if (followed !== undefined) return `its text now stands in ${at(followed.hit)}${asRenamed(followed)}`;
  const hits = hitsAnywhere(edit.find, sources);
  if (hits.length > LISTED) return `its text stands in ${hits.length} places${guess(edit, hits)}`;
  if (hits.length > 0) return `its text stands in ${hits.map(at).join(' and ')}`;
  const all = [...sources.byFile.values()].flat().map((declaration) => ({ declaration }));
  return `its text stands nowhere${guess(edit, all)}${mostSimilar(edit, sources)}`;
}

/** What words of the text are called now. */
export function asRenamed({ names }: Pick<Followed, 'names'>): string {
  const pairs = [...names].map(([old, now]) => `${now} for ${old}`);
  return pairs.length === 0 ? '' : `, with ${pairs.join(' and ')}`;
}

/** The name that is closest to the one that is gone. */
function guess({ in: name }: Edit, among: readonly { readonly declaration: Declaration }[]): string {
  const names = [...new Set(among.map(({ declaration }) => declaration.name))];
  if (names.includes(name)) return '';
  const found = nearest(name, names);
  return found === undefined ? '' : ` (did you mean in ${found}?)`;
}

const SIMILAR_ENOUGH = 0.6;

/** The line of the declaration that has most words in common with the longest line of the text. */
function mostSimilar({ in: name, find }: Edit, sources: Sources): string {
  const wanted = tokensOf(find.split('\n').toSorted((one, other) => other.length - one.length)[0] ?? '');
  const lines = (sources.declared.get(name) ?? []).flatMap((declaration) => linesOf(declaration, sources));
  const ranked = lines
    .map((line) => ({ ...line, share: likeness(wanted, tokensOf(line.text)) }))
    .toSorted((one, other) => other.share - one.share);
  const [best] = ranked;
  if (best === undefined || best.share < SIMILAR_ENOUGH) return '';
  return `; the most similar line is ${best.place}: ${best.text.trim()}`;
}

function linesOf({ file, start, end }: Declaration, { texts }: Sources) {
  const text = texts.get(file) ?? '';
  const first = text.slice(0, start).split('\n').length;
  return text
    .slice(start, end)
    .split('\n')
    .map((line, index) => ({ place: `${file}:${first + index}`, text: line }));
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
