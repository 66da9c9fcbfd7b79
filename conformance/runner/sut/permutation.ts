/** A renaming that loses nothing: every name goes to exactly one, and from every name one comes. */
export interface Permutation {
  readonly there: (name: string) => string;
  readonly back: (name: string) => string;
}

/**
 * A table of renamings as a permutation of all names: a new name that nobody gave up changes places with the old one at the
 * other end. So a wrong name stays wrong on the other side, and there and back is the identity whatever a resource holds.
 * Returns undefined when the table gives one name to two things.
 */
export function permutationOf(table: Readonly<Record<string, string>>): Permutation | undefined {
  const there = new Map(Object.entries(table));
  const back = new Map([...there].map(([from, to]) => [to, from]));
  if (back.size < there.size) return undefined;
  for (const end of [...back.keys()].filter((name) => !there.has(name))) {
    const start = startOf(end, back);
    there.set(end, start);
    back.set(start, end);
  }
  return { there: (name) => there.get(name) ?? name, back: (name) => back.get(name) ?? name };
}

/** Changes the case of the first letter, either way. */
export const lowerFirst: Permutation = { there: swapFirst, back: swapFirst };

function startOf(end: string, back: ReadonlyMap<string, string>): string {
  let name = end;
  for (let before = back.get(name); before !== undefined; before = back.get(name)) name = before;
  return name;
}

function swapFirst(name: string): string {
  const [first = ''] = name;
  const lower = first.toLowerCase();
  return (first === lower ? first.toUpperCase() : lower) + name.slice(first.length);
}
