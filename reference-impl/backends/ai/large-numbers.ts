declare global {
  interface JSON {
    /** A value that is written as `text`; the types of the language do not know it yet. */
    readonly rawJSON: (text: string) => object;
  }
}

/** Digits that a number of a program may not hold exactly. */
const MANY_DIGITS = /\d{16}/;
const WHOLE = /^-?\d+$/;

/**
 * `value` as JSON text, in which whole numbers that stood in `original` have all their digits, also those that no number of a program
 * can hold (AI-002: a seed may have 64 bits). `original` is JSON.
 */
export function jsonKeepingDigits(value: unknown, original: string): string {
  const written = MANY_DIGITS.test(original) ? largeNumbers(original) : undefined;
  if (written === undefined || written.size === 0) return JSON.stringify(value);
  return JSON.stringify(value, (_, member: unknown) => {
    const digits = typeof member === 'number' ? written.get(member) : undefined;
    return digits === undefined ? member : JSON.rawJSON(digits);
  });
}

/** What is written for each number that is not what was written; of two that become the same number the first. */
function largeNumbers(original: string): ReadonlyMap<number, string> {
  const written = new Map<number, string>();
  const look = (_: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown => {
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !WHOLE.test(source)) return value;
    if (!written.has(value)) written.set(value, source);
    return value;
  };
  JSON.parse(original, look);
  return written;
}
