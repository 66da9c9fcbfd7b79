/**
 * The one of the names that is an item of a target, whatever stands between the two: it has the name of the target and ends with that of the
 * item. Undefined where none does, or more than one.
 */
export function findItem(names: readonly string[], target: string, item: string): string | undefined {
  const found = names.filter((name) => name !== item && name.endsWith(item) && before(name, item).includes(target));
  return found.length === 1 ? found[0] : undefined;
}

function before(name: string, item: string): string {
  return name.slice(0, name.length - item.length);
}
