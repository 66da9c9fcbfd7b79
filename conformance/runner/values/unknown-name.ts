import { nearest } from './nearest.ts';

/** What to say about a name that is not known: the nearest one, or all of them when they are few. */
export function unknownName(what: string, name: string, known: Iterable<string>): string {
  const names = [...known];
  const hint = nearest(name, names);
  if (hint !== undefined) return `unknown ${what} ${name}, did you mean ${hint}?`;
  return names.length > 12 || names.length === 0
    ? `unknown ${what} ${name}`
    : `unknown ${what} ${name}; known are ${names.join(', ')}`;
}
