/** Where a text of code stands: offsets, `end` behind the last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const TOKEN = /[\w$]+|\s+|[^\s\w$]/g;
const CLOSES = /^[)\]}>]$/;

/**
 * Every place between two offsets of a source where a text of code stands. How the formatter breaks and indents lines does
 * not count: between two tokens any white space will do, and before a closing bracket a comma more or less.
 */
export function placesOf(find: string, text: string, { start, end }: Span): readonly Span[] {
  const pattern = patternOf(find);
  return [...text.slice(start, end).matchAll(pattern)].map(({ 0: { length }, index }) => ({
    start: start + index,
    end: start + index + length,
  }));
}

const patterns = new Map<string, RegExp>();

function patternOf(find: string): RegExp {
  const known = patterns.get(find);
  if (known !== undefined) return known;
  const made = new RegExp(
    tokensOf(find)
      .map((token, index, all) => gapBetween(all[index - 1], token) + literal(token.text))
      .join(''),
    'g',
  );
  patterns.set(find, made);
  return made;
}

interface Token {
  readonly text: string;
  /** Whether white space stands before it. */
  readonly spaced: boolean;
}

/** Without the commas before closing brackets. */
function tokensOf(code: string): readonly Token[] {
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

function isWord(text: string): boolean {
  return /^[\w$]/.test(text);
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
