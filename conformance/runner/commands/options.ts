import { InvalidArgumentError } from 'commander';
import { nearest } from '../values/nearest.ts';

/** A whole number of at least 1, as a commander parser. */
export function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number of at least 1 is wanted');
  return value;
}

/** A whole number of at least 0, as a commander parser. */
export function natural(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError('a whole number of at least 0 is wanted');
  return value;
}

/** A port to listen on, as a commander parser. */
export function portNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 65_535)
    throw new InvalidArgumentError('a port is a number from 1 to 65535');
  return value;
}

/** Values of an option that may be given several times or with commas. */
export function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, ...text.split(',').map((part) => part.trim())].filter((part) => part !== '');
}

/**
 * Each value as one of the words, upper and lower case being the same. The message about another one names the word that may have been
 * meant, or all of them.
 */
export function oneOf<Word extends string>(
  words: readonly Word[] | (() => readonly Word[]),
): (text: string, earlier?: readonly Word[]) => readonly Word[] {
  return (text, earlier = []) => {
    const known = typeof words === 'function' ? words() : words;
    return [...earlier, ...collect(text).map((value) => wordOf(value, known))];
  };
}

function wordOf<Word extends string>(value: string, known: readonly Word[]): Word {
  const word = known.find((one) => one.toLowerCase() === value.toLowerCase());
  if (word !== undefined) return word;
  const hint = nearest(value, known);
  throw new InvalidArgumentError(
    hint === undefined ? `${value} is none of ${known.join(', ')}` : `${value} is unknown, did you mean ${hint}?`,
  );
}
