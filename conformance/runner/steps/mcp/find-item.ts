/**
 * The one of the names that is an item of a target, whatever stands between the two: it has the name of the target and ends with that of the
 * item. Undefined where none does, or more than one. A target's URI may have its scheme moved to the front, so its end is compared.
 */
export function findItem(names: readonly string[], target: string, item: string): string | undefined {
  const [, tail = item] = /^[a-z][a-z0-9+.-]*:(.*)$/i.exec(item) ?? [];
  const found = names.filter((name) => name !== item && name.endsWith(tail) && before(name, tail).includes(target));
  return found.length === 1 ? found[0] : undefined;
}

function before(name: string, tail: string): string {
  return name.slice(0, name.length - tail.length);
}
