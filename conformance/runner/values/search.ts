import { nearest } from './nearest.ts';

/** Something that can be found by words. */
export interface Searchable {
  readonly lines: readonly SearchLine[];
}

/** A text of it. */
export interface SearchLine {
  readonly label: string;
  readonly text: string;
  /** How much a word in it says about the whole: an id more than a mention. */
  readonly weight: number;
}

export interface Found<Entry> {
  readonly entry: Entry;
  readonly score: number;
  /** The lines in which words were found, in their order. */
  readonly why: readonly SearchLine[];
}

export interface SearchAnswer<Entry> {
  /** Best first. */
  readonly found: readonly Found<Entry>[];
  /** Words that stand nowhere, each with one that does and may have been meant. */
  readonly unknown: readonly { readonly word: string; readonly meant: string | undefined }[];
  /** False when no entry has all the words: then those are found that have the most of them. */
  readonly complete: boolean;
}

/** What a place of a word is worth: a whole word, the beginning of one, somewhere inside. */
const WORTH = { whole: 4, beginning: 2, inside: 1 } as const;

/**
 * Entries in which the words stand, whole or in part, upper and lower case being the same. A word counts the more the fewer entries
 * have it, and the more the line it stands in says about its entry.
 */
export function search<Entry extends Searchable>(
  entries: readonly Entry[],
  words: readonly string[],
): SearchAnswer<Entry> {
  const asked = [...new Set(words.map((word) => word.toLowerCase()))];
  const hits = asked.map((word) => hitsOf(word, entries));
  const scored = entries.map((entry, index) => {
    const own = hits.flatMap(({ scores, rarity }) => {
      const score = scores[index] ?? 0;
      return score === 0 ? [] : [score * rarity];
    });
    return { entry, matched: own.length, score: own.reduce((sum, score) => sum + score, 0) };
  });
  const most = Math.max(0, ...scored.map(({ matched }) => matched));
  const best = scored.filter(({ matched }) => matched > 0 && matched === most);
  return {
    found: best
      .toSorted((left, right) => right.score - left.score)
      .map(({ entry, score }) => ({ entry, score, why: entry.lines.filter((line) => hasAny(line, asked)) })),
    unknown: asked.flatMap((word, index) =>
      hits[index]?.scores.some((score) => score > 0) === true ? [] : [{ word, meant: meantWord(word, entries) }],
    ),
    complete: most === asked.length,
  };
}

/** The places of any of the words in a text, `[from, to]`, in order and without overlaps. */
export function placesOf(words: readonly string[], text: string): readonly (readonly [from: number, to: number])[] {
  const lower = text.toLowerCase();
  const places = words
    .flatMap((word) => indexesOf(word.toLowerCase(), lower).map((from) => [from, from + word.length] as const))
    .toSorted((left, right) => left[0] - right[0] || right[1] - left[1]);
  let end = 0;
  return places.filter(([from, to]) => {
    if (from < end) return false;
    end = to;
    return true;
  });
}

interface Hits {
  /** By the index of the entry; 0 where the word is not. */
  readonly scores: readonly number[];
  readonly rarity: number;
}

function hitsOf(word: string, entries: readonly Searchable[]): Hits {
  const scores = entries.map(({ lines }) =>
    Math.max(0, ...lines.map((line) => line.weight * worthOf(word, line.text))),
  );
  const count = scores.filter((score) => score > 0).length;
  return { scores, rarity: Math.log(1 + entries.length / Math.max(1, count)) };
}

function worthOf(word: string, text: string): number {
  const indexes = indexesOf(word, text.toLowerCase());
  return Math.max(0, ...indexes.map((index) => worthAt(index, word, text)));
}

function worthAt(index: number, word: string, text: string): number {
  const begins = isBoundary(text[index - 1], text[index]);
  const ends = isBoundary(text[index + word.length - 1], text[index + word.length]);
  if (begins && ends) return WORTH.whole;
  return begins ? WORTH.beginning : WORTH.inside;
}

/** Whether a word ends between two characters: `requestTimeout` is two words. */
function isBoundary(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined || !isWordy(before) || !isWordy(after)) return true;
  return /[a-z0-9]/.test(before) && /[A-Z]/.test(after);
}

function isWordy(character: string): boolean {
  return /[A-Za-z0-9]/.test(character);
}

function indexesOf(word: string, lower: string): readonly number[] {
  let end = 0;
  return lower
    .split(word)
    .slice(0, -1)
    .map((before) => {
      const index = end + before.length;
      end = index + word.length;
      return index;
    });
}

function hasAny({ text }: SearchLine, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.some((word) => lower.includes(word));
}

function meantWord(word: string, entries: readonly Searchable[]): string | undefined {
  const texts = entries.flatMap(({ lines }) => lines.map(({ text }) => text));
  const known = new Set(texts.flatMap((text) => text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? []));
  return nearest(word, [...known]);
}
