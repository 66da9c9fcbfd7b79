/**
 * Remembers the result per list, for as long as its members live. Lists are equal when they hold the identical objects
 * in the same order. It takes one look-up per member; `perObject` says when to use which.
 */
export function perList<Item extends object, Result>(
  compute: (items: readonly Item[]) => Result,
): (items: readonly Item[]) => Result {
  const root: Node<Item, Result> = { next: new WeakMap(), known: undefined };
  return (items) => {
    let node = root;
    for (const item of items) node = step(node, item);
    node.known ??= { result: compute(items) };
    return node.known.result;
  };
}

interface Node<Item extends object, Result> {
  readonly next: WeakMap<Item, Node<Item, Result>>;
  known: { readonly result: Result } | undefined;
}

function step<Item extends object, Result>(node: Node<Item, Result>, item: Item): Node<Item, Result> {
  const known = node.next.get(item);
  if (known !== undefined) return known;
  const created: Node<Item, Result> = { next: new WeakMap(), known: undefined };
  node.next.set(item, created);
  return created;
}

/** Remembers the result of the latest list only. */
export function perLatestList<Item extends object, Result>(
  compute: (items: readonly Item[]) => Result,
): (items: readonly Item[]) => Result {
  let latest: { readonly items: readonly Item[]; readonly result: Result } | undefined;
  return (items) => {
    const same = latest?.items.length === items.length && latest.items.every((item, at) => item === items[at]);
    if (latest === undefined || !same) latest = { items, result: compute(items) };
    return latest.result;
  };
}

/** The same list object for the same members. */
export function sharedList<Item extends object>(): (items: readonly Item[]) => readonly Item[] {
  return perList((items) => [...items]);
}
