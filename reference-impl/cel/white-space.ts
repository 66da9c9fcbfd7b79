/** White space longer than this is shortened: the engine's parser takes time in the square of a run. */
const MAX_RUN = 64;
const LONG_RUN = new RegExp(`[\\t\\n\\f\\r ]{${MAX_RUN + 1},}`);

/** String and bytes literals, comments and white space of an expression; whatever else there is, one character at a time. */
const TOKENS =
  /[rR][bB]?(?:"""[^]*?"""|'''[^]*?'''|"[^"\n]*"|'[^'\n]*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/[^\r\n]*|[\t\n\f\r ]+|[^]/g;

export interface Shortened {
  readonly text: string;
  /** Where a character of the shortened text stands in the original. */
  readonly originalOffset: (offset: number) => number;
}

/** The expression with long white space between tokens cut to one character; literals stay as they are. */
export function shortenWhiteSpace(text: string): Shortened {
  if (!LONG_RUN.test(text)) return { text, originalOffset: (offset) => offset };
  const cuts: { readonly at: number; readonly removed: number }[] = [];
  let removed = 0;
  const shortened = text.replace(TOKENS, (token: string, at: number) => {
    if (token.length <= MAX_RUN || token.trim() !== '') return token;
    cuts.push({ at: at - removed + 1, removed: token.length - 1 });
    removed += token.length - 1;
    return token.includes('\n') ? '\n' : ' ';
  });
  return {
    text: shortened,
    originalOffset: (offset) => cuts.reduce((sum, cut) => (offset >= cut.at ? sum + cut.removed : sum), offset),
  };
}
