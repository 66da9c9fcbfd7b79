export type Pair = readonly [name: string, value: string];

/** One value per name; a list where the name came more than once. */
export type ValuesByName = Readonly<Record<string, string | readonly string[]>>;

/** Name and value pairs of the flat list node gives. */
export function toPairs(flat: readonly string[]): readonly Pair[] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ''] satisfies Pair] : []));
}

/** The values of pairs by their names, as they are written. */
export function valuesByName(pairs: Iterable<Pair>): ValuesByName {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]));
}

/** Fields of HTTP by their names in lower case. */
export function valuesByLowerCaseName(pairs: readonly Pair[]): ValuesByName {
  return valuesByName(pairs.map(([name, value]): Pair => [name.toLowerCase(), value]));
}

/** The value of a field of HTTP, if it came exactly once. */
export function onlyValueOf(name: string, pairs: readonly Pair[]): string | undefined {
  const values = pairs.filter(([field]) => field.toLowerCase() === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
}
