/** Where a text of code stands: offsets, `end` behind the last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where it stands with other names, by the names it has in the text. */
export interface RenamedSpan extends Span {
  readonly names: ReadonlyMap<string, string>;
}

const TOKEN = /[\w$]+|\s+|[^\s\w$]/g;
const CLOSES = /^[)\]}>]$/;

/**
 * Every place between two offsets of a source where a text of code stands. How the formatter breaks and indents lines does
 * not count: between two tokens any white space will do, and before a closing bracket a comma more or less.
 */
export function placesOf(find: string, text: string, { start, end }: Span): readonly Span[] {
  return [...text.slice(start, end).matchAll(patternOf(find))].map((match) => spanOf(match, start));
}

/** The places where it stands but for some of its words, each of which is another word there, everywhere the same. */
export function renamedPlacesOf(
  find: string,
  words: readonly string[],
  text: string,
  { start, end }: Span,
): readonly RenamedSpan[] {
  const pattern = new RegExp(sourceOf(find, words), 'g');
  return [...text.slice(start, end).matchAll(pattern)].map((match) => ({
    ...spanOf(match, start),
    names: new Map(words.map((word, index) => [word, match.groups?.[`word${index}`] ?? word])),
  }));
}

/** The tokens of a text of code, without white space and without the commas before closing brackets. */
export function tokensOf(code: string): readonly string[] {
  return spacedTokensOf(code).map(({ text }) => text);
}

/** Whether a token is a name, a keyword or a number. */
export function isWord(token: string): boolean {
  return /^[\w$]/.test(token);
}

const patterns = new Map<string, RegExp>();

function patternOf(find: string): RegExp {
  const known = patterns.get(find);
  if (known !== undefined) return known;
  const made = new RegExp(sourceOf(find, []), 'g');
  patterns.set(find, made);
  return made;
}

function sourceOf(find: string, open: readonly string[]): string {
  const met = new Set<string>();
  const source = ({ text }: Token): string => {
    const index = open.indexOf(text);
    if (index < 0) return literal(text);
    const again = met.has(text);
    met.add(text);
    return again ? String.raw`\k<word${index}>(?![\w$])` : String.raw`(?<![\w$])(?<word${index}>[\w$]+)(?![\w$])`;
  };
  return spacedTokensOf(find)
    .map((token, index, all) => gapBetween(all[index - 1], token) + source(token))
    .join('');
}

interface Token {
  readonly text: string;
  /** Whether white space stands before it. */
  readonly spaced: boolean;
}

function spacedTokensOf(code: string): readonly Token[] {
  const parts = code.trim().match(TOKEN) ?? [];
  const tokens = parts.flatMap((text, index) =>
    text.trim() === '' ? [] : [{ text, spaced: parts[index - 1]?.trim() === '' }],
  );
  return tokens.filter(({ text }, index) => !(text === ',' && index > 0 && CLOSES.test(tokens[index + 1]?.text ?? '')));
}

function gapBetween(before: Token | undefined, { text, spaced }: Token): string {
  if (before === undefined) return '';
  if (CLOSES.test(text)) return String.raw`(?:\s*,)?\s*`;
  return spaced && isWord(before.text) && isWord(text) ? String.raw`\s+` : String.raw`\s*`;
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

function spanOf({ 0: { length }, index }: RegExpExecArray, start: number): Span {
  return { start: start + index, end: start + index + length };
}
