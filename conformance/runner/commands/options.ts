import { InvalidArgumentError } from 'commander';

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

/** Values of an option that may be given several times or with commas. */
export function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, ...text.split(',').map((part) => part.trim())].filter((part) => part !== '');
}

/** Whether the argument is one of the words, with a message that lists them. */
export function oneOf(words: readonly string[]): (text: string, earlier?: readonly string[]) => readonly string[] {
  return (text, earlier) => {
    const values = collect(text, earlier);
    const wrong = values.find((value) => !words.includes(value));
    if (wrong !== undefined) throw new InvalidArgumentError(`${wrong} is none of ${words.join(', ')}`);
    return values;
  };
}
