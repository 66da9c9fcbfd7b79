import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const base64: Matcher = {
  name: '~base64',
  text: 'is base64 of a text that matches',
  check: (use) => {
    const text = decode(use.actual);
    return text === undefined ? one(use, false, 'base64') : use.match(use.argument, text, use.context);
  },
};

// Node ignores characters that are not base64, so the text is encoded again and compared.
function decode(actual: unknown): string | undefined {
  if (typeof actual !== 'string') return undefined;
  const bytes = Buffer.from(actual, 'base64');
  return bare(bytes.toString('base64')) === bare(actual) ? bytes.toString('utf8') : undefined;
}

// Without padding and in the plain alphabet, so that both spellings of base64 compare equal.
function bare(text: string): string {
  return text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
}
