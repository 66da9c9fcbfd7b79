/**
 * The order of a list after a patch. Items that the patch names stand in its order, the others in the order they had.
 * Between them the old order decides where it knows both; otherwise the item of the patch comes first.
 */
export function inPatchOrder(
  present: readonly string[],
  patch: readonly string[],
  before: readonly string[],
): readonly string[] {
  const remaining = new Set(present);
  const named = [...new Set(patch)].filter((key) => remaining.has(key));
  const ours = new Set(named);
  const others = [...new Set([...before, ...present])].filter((key) => remaining.has(key) && !ours.has(key));
  const places = placesOf(before);
  const ordered: string[] = [];
  let taken = 0;
  for (const key of named) {
    while (taken < others.length && stoodBefore(others[taken], key, places)) {
      ordered.push(...others.slice(taken, taken + 1));
      taken += 1;
    }
    ordered.push(key);
  }
  return [...ordered, ...others.slice(taken)];
}

/** Where each key stood first. */
function placesOf(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map(keys.map((key, index) => [key, index] as const).toReversed());
}

function stoodBefore(left: string | undefined, right: string, places: ReadonlyMap<string, number>): boolean {
  const first = left === undefined ? undefined : places.get(left);
  const second = places.get(right);
  return first !== undefined && second !== undefined && first < second;
}
