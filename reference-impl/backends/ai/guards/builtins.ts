import { findEmails } from './emails.ts';
import { mergeSpans, type MaskRule, type Span } from './mask.ts';
import { findPhoneNumbers } from './phone-numbers.ts';

export type Builtin = 'Ssn' | 'CreditCard' | 'PhoneNumber' | 'Email' | 'CaSin';

/** Well-known kinds of text (GUARD-008 to GUARD-012). Shapes only: no checksum and no range is looked at. docs/decisions/prompt-guard.md */
export const BUILTINS: Readonly<Record<Builtin, MaskRule>> = {
  Ssn: {
    token: '<SSN>',
    find: shapes(/\b\d{5}-\d{4}\b/g, /\b\d{3}-\d{6}\b/g, /\b\d{9}\b/g, /\b\d{3}[- .]\d{2}[- .]\d{4}\b/g),
  },
  CreditCard: {
    token: '<CREDIT_CARD>',
    find: shapes(
      /\b(?:4\d{3}|5[0-5]\d{2}|6\d{3}|3\d{3})[- ]?\d{3,4}[- ]?\d{3,4}[- ]?\d{3,5}\b/g,
      // Milliseconds since 1970 have thirteen digits and begin with 1.
      /\b1\d{3}[- ]?\d{3,4}[- ]?\d{3,4}[- ]?\d{4,5}\b/g,
    ),
  },
  PhoneNumber: { token: '<PHONE_NUMBER>', find: findPhoneNumbers },
  Email: { token: '<EMAIL_ADDRESS>', find: findEmails },
  CaSin: { token: '<CA_SIN>', find: shapes(/\b\d{3}[- ]\d{3}[- ]\d{3}\b/g, /\b\d{9}\b/g) },
};

/** Each begins with a digit. No pattern has a repetition without a bound, so the time is linear in the text. */
function shapes(...patterns: readonly RegExp[]): MaskRule['find'] {
  return async (text, work) => {
    const spans: Span[] = [];
    const pause = work.spend(text.length);
    if (pause !== undefined) await pause;
    if (!DIGIT.test(text)) return spans;
    for (const pattern of patterns) {
      const another = work.spend(text.length);
      if (another !== undefined) await another;
      addMatches(text, pattern, spans);
    }
    return mergeSpans(spans);
  };
}

const DIGIT = /\d/;

function addMatches(text: string, pattern: RegExp, spans: Span[]): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    spans.push({ start: match.index, end: pattern.lastIndex });
  }
}
