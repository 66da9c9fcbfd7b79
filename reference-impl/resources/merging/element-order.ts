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
  const others = [...new Set([...before, ...present])].filter((key) => remaining.has(key) && !named.includes(key));
  const ordered: string[] = [];
  while (named.length > 0 || others.length > 0) {
    const [ours, theirs] = [named[0], others[0]];
    const takeOther = ours === undefined || (theirs !== undefined && stoodBefore(theirs, ours, before));
    ordered.push(...(takeOther ? others : named).splice(0, 1));
  }
  return ordered;
}

function stoodBefore(left: string, right: string, before: readonly string[]): boolean {
  const [first, second] = [before.indexOf(left), before.indexOf(right)];
  return first >= 0 && second >= 0 && first < second;
}
