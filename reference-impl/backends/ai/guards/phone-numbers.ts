import type { CountryCode } from 'libphonenumber-js';
import type { Span, Work } from './mask.ts';

/** Countries whose numbers are recognised without their country code. */
const COUNTRIES: readonly CountryCode[] = ['US', 'GB', 'DE', 'IL', 'IN', 'CA', 'BR'];

/** What may be a number: it begins like one, and goes on with digits and what people put between them. docs/decisions/prompt-guard.md */
const CANDIDATE = /(?<!\d)[+()]{0,2}\d[\d ().-]{6,30}/g;
/** No number of the world has fewer or more digits, prefixes included. */
const DIGITS = { least: 7, most: 17 };
/** And none of a candidate's first words is taken for one without this many. More are a card, or two numbers. */
const DIGITS_OF_WORDS = { least: 9, most: 11 };

/** What it takes to compare one text with the numbering plan of one country, in steps. */
const COMPARISON = 1024;

/** Telephone numbers that are valid in at least one of the countries. */
export async function findPhoneNumbers(text: string, work: Work): Promise<readonly Span[]> {
  const isValid = await numbers();
  const isNumber = (words: string): Promise<boolean> => isNumberSomewhere(words, isValid, work);
  await work.spend(text.length);
  const spans: Span[] = [];
  let start = 0;
  for (let match = nextCandidate(text, 0); match !== null; match = nextCandidate(text, start)) {
    const [candidate] = match;
    const length = await numberLength(candidate, isNumber);
    start = match.index + (length ?? candidate.length);
    if (length !== undefined) spans.push({ start: match.index, end: start });
  }
  return spans;
}

function nextCandidate(text: string, from: number): RegExpExecArray | null {
  CANDIDATE.lastIndex = from;
  return CANDIDATE.exec(text);
}

type IsNumber = (text: string) => Promise<boolean>;

/** All of the candidate, or the words it begins with: a number may be followed by another, `212-555-2368 415-555-2671`. */
async function numberLength(candidate: string, isNumber: IsNumber): Promise<number | undefined> {
  const whole = candidate.replace(/\D+$/, '');
  if (hasDigits(whole, DIGITS) && (await isNumber(whole))) return whole.length;
  const ends = [...whole.matchAll(/\d(?= )/g)].map(({ index }) => index + 1);
  for (const end of ends.toReversed()) {
    const words = whole.slice(0, end);
    if (hasDigits(words, DIGITS_OF_WORDS) && (await isNumber(words))) return end;
  }
  return undefined;
}

function hasDigits(text: string, { least, most }: typeof DIGITS): boolean {
  const digits = text.replaceAll(/\D/g, '').length;
  return digits >= least && digits <= most;
}

/** A number with its country code needs no country to be tried. */
async function isNumberSomewhere(text: string, isValid: IsValid, work: Work): Promise<boolean> {
  const countries = text.startsWith('+') ? [undefined] : COUNTRIES;
  for (const country of countries) {
    await work.spend(COMPARISON);
    if (isValid(text, country)) return true;
  }
  return false;
}

type IsValid = (text: string, country?: CountryCode) => boolean;

let loaded: Promise<IsValid> | undefined;

/** The tables of the numbering plans take a tenth of a second to load: only for who asks for them. */
function numbers(): Promise<IsValid> {
  return (loaded ??= import('libphonenumber-js/max').then(({ isValidPhoneNumber }) => isValidPhoneNumber));
}
