/**
 * Gives each expectation an item of its own, moving earlier ones aside where that helps (augmenting paths).
 * Returns the expectations that find none.
 */
export function assign(
  wanted: readonly unknown[],
  items: readonly unknown[],
  fits: (wanted: unknown, item: unknown) => boolean,
): readonly unknown[] {
  const table = wanted.map((expected) => items.map((item) => fits(expected, item)));
  const holder = new Map<number, number>();
  const place = (row: number, tried: Set<number>): boolean =>
    items.some((_, column) => {
      if (table[row]?.[column] !== true || tried.has(column)) return false;
      tried.add(column);
      const current = holder.get(column);
      if (current !== undefined && !place(current, tried)) return false;
      holder.set(column, row);
      return true;
    });
  return wanted.filter((_, row) => !place(row, new Set()));
}
