/**
 * Text that is safe to write to a terminal: what could move the cursor, change colours or turn the reading order
 * around is spelled out (`\x1b`, `\u202e`). What a client sends must not reach the operator's terminal.
 */
export function printable(text: string): string {
  return text.replaceAll('\t', '  ').replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x1_00 ? `\\x${hex(code, 2)}` : code < 0x1_00_00 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`;
  });
}

/** Cuts printable text to a number of columns and fills it up with blanks. */
export function fit(text: string, columns: number): string {
  let fitted = '';
  let used = 0;
  for (const character of text) {
    const width = columnsOf(character);
    if (used + width > columns) break;
    fitted += character;
    used += width;
  }
  return fitted + ' '.repeat(Math.max(0, columns - used));
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

function columnsOf(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}

/** Controls, invisible format characters, surrogates without partner, private use, separators, and combining marks. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{M}]/gu;

/** Characters that take two columns. */
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]$/u;
