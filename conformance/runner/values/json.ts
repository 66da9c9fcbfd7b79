/** An object of the JSON data model. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object: not null, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value is a list. Unlike `Array.isArray` it narrows `unknown` to `unknown` items. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Whether two JSON values are equal; the order of object members is irrelevant, that of lists is not. */
export function jsonEquals(left: unknown, right: unknown): boolean {
  if (Object.is(left, right) || left === right) return true;
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((item, index) => jsonEquals(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEquals(left[key], right[key]))
  );
}
