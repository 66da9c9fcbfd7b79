/**
 * Makes `derive` answer the same list of objects with the same result, for as long as the objects live. Lists are equal
 * when they hold the identical objects in the same order. Generations of the configuration that keep an object thereby
 * keep everything that was derived from it.
 */
export function derivedOnce<Item extends object, Result>(
  derive: (items: readonly Item[]) => Result,
): (items: readonly Item[]) => Result {
  const root: Node<Item, Result> = { next: new WeakMap(), derived: undefined };
  return (items) => {
    let node = root;
    for (const item of items) node = step(node, item);
    node.derived ??= { result: derive(items) };
    return node.derived.result;
  };
}

/** The same list object for the same members. */
export function sharedList<Item extends object>(): (items: readonly Item[]) => readonly Item[] {
  return derivedOnce((items) => [...items]);
}

interface Node<Item extends object, Result> {
  readonly next: WeakMap<Item, Node<Item, Result>>;
  derived: { readonly result: Result } | undefined;
}

function step<Item extends object, Result>(node: Node<Item, Result>, item: Item): Node<Item, Result> {
  const known = node.next.get(item);
  if (known !== undefined) return known;
  const created: Node<Item, Result> = { next: new WeakMap(), derived: undefined };
  node.next.set(item, created);
  return created;
}
