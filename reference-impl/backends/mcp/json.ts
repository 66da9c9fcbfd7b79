/** A JSON object of a message; members the proxy does not know stay as they are. */
export type Json = { readonly [member: string]: unknown };

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asJson(value: unknown): Json | undefined {
  return isJson(value) ? value : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The elements of an array; none when it is not one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What stands at the end of a path of members; undefined when there is none. */
export function memberAt(object: Json | undefined, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const member of path) value = isJson(value) && Object.hasOwn(value, member) ? value[member] : undefined;
  return value;
}

/** The same object with another value at the end of a path; as it is when the path does not lead there. */
export function withMember(object: Json, path: readonly string[], value: unknown): Json {
  const [member, ...rest] = path;
  if (member === undefined || !Object.hasOwn(object, member)) return object;
  if (rest.length === 0) return { ...object, [member]: value };
  const inner = object[member];
  return isJson(inner) ? { ...object, [member]: withMember(inner, rest, value) } : object;
}
