import type { CountryCode } from 'libphonenumber-js';
import type { Span } from './mask.ts';

/** Countries whose numbers are recognised without their country code. */
const COUNTRIES: readonly CountryCode[] = ['US', 'GB', 'DE', 'IL', 'IN', 'CA', 'BR'];

/** What may be a number: it begins like one, and goes on with digits and what people put between them. docs/decisions/prompt-guard.md */
const CANDIDATE = /(?<!\d)[+()]{0,2}\d[\d ().-]{6,30}/g;
/** No number of the world has fewer or more digits, prefixes included. */
const DIGITS = { least: 7, most: 17 };
/** And none of a candidate's first words is taken for one without this many. More are a card, or two numbers. */
const DIGITS_OF_WORDS = { least: 9, most: 11 };

/** Candidates after which others have their turn: judging one takes a good part of a millisecond. */
const AT_ONCE = 16;

/** Telephone numbers that are valid in at least one of the countries. */
export async function findPhoneNumbers(text: string): Promise<readonly Span[]> {
  const isNumber = await numbers();
  const spans: Span[] = [];
  let judged = 0;
  let start = 0;
  for (let match = nextCandidate(text, 0); match !== null; match = nextCandidate(text, start)) {
    const [candidate] = match;
    const length = numberLength(candidate, isNumber);
    start = match.index + (length ?? candidate.length);
    if (length !== undefined) spans.push({ start: match.index, end: start });
    judged += 1;
    if (judged % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return spans;
}

function nextCandidate(text: string, from: number): RegExpExecArray | null {
  CANDIDATE.lastIndex = from;
  return CANDIDATE.exec(text);
}

/** All of the candidate, or the words it begins with: a number may be followed by another, `212-555-2368 415-555-2671`. */
function numberLength(candidate: string, isNumber: IsNumber): number | undefined {
  const whole = candidate.replace(/\D+$/, '');
  if (hasDigits(whole, DIGITS) && isNumber(whole)) return whole.length;
  const ends = [...whole.matchAll(/\d(?= )/g)].map(({ index }) => index + 1);
  return ends.findLast((end) => {
    const words = whole.slice(0, end);
    return hasDigits(words, DIGITS_OF_WORDS) && isNumber(words);
  });
}

function hasDigits(text: string, { least, most }: typeof DIGITS): boolean {
  const digits = text.replaceAll(/\D/g, '').length;
  return digits >= least && digits <= most;
}

type IsNumber = (text: string) => boolean;

let loaded: Promise<IsNumber> | undefined;

/** The tables of the numbering plans take a tenth of a second to load: only for who asks for them. */
function numbers(): Promise<IsNumber> {
  return (loaded ??= import('libphonenumber-js/max').then(
    ({ isValidPhoneNumber }) =>
      (text) =>
        text.startsWith('+')
          ? isValidPhoneNumber(text)
          : COUNTRIES.some((country) => isValidPhoneNumber(text, country)),
  ));
}
