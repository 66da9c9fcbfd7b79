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

// Node ignores characters that are not base64, so the text is encoded again and compared. Bodies in traces may be cut off anywhere: what
// is begun at the end, a group of four or a character of several bytes, is left out.
function decode(actual: unknown): string | undefined {
  if (typeof actual !== 'string') return undefined;
  const bytes = Buffer.from(actual, 'base64');
  if (bare(bytes.toString('base64')) === bare(actual))
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  const whole = actual.slice(0, actual.length - (actual.length % 4));
  return whole === actual || whole === '' ? undefined : decode(whole);
}

// Without padding and in the plain alphabet, so that both spellings of base64 compare equal.
function bare(text: string): string {
  return text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
}
