/** Numbers in [0, 1) that a seed determines (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A copy in an order that the seed determines. */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const random = seededRandom(seed);
  const rank = items.map((item) => ({ item, at: random() }));
  return rank.toSorted((one, other) => one.at - other.at).map(({ item }) => item);
}
