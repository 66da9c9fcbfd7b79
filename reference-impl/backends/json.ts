/** A JSON object of a request or reply; members the proxy does not know stay as they are. */
export type Json = { readonly [member: string]: unknown };

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object `text` spells, or undefined when it is not the JSON text of an object. */
export function parseObject(text: string): Json | undefined {
  const value = parseJson(text);
  return isJson(value) ? value : undefined;
}

/** What `text` spells, or undefined when it is not JSON (which never spells undefined). */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Json | undefined {
  return isJson(value) ? value : undefined;
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The number that an object has under that name; undefined when there is no object, or no number. */
export function numberAt(object: Json | undefined, member: string): number | undefined {
  return asNumber(object?.[member]);
}

/** The elements of an array; none when it is not one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The elements of an array that are objects; none when it is not an array. */
export function asObjects(value: unknown): readonly Json[] {
  return asList(value).filter(isJson);
}

/** What a table has under a word that came from outside; nothing for words such as `constructor` that every object has. */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, word: unknown): Value | undefined {
  return typeof word === 'string' && Object.hasOwn(table, word) ? table[word] : undefined;
}

/** Members of an object under other names: `{ theirs: 'ours' }`. Those that are null or missing are left out. */
export function pick(object: Json, names: Readonly<Record<string, string>>): Json {
  const picked = Object.entries(names).map(([name, member]) => [name, object[member] ?? undefined] as const);
  return present(Object.fromEntries(picked));
}

type Optional<Members> = { [Key in keyof Members]: undefined extends Members[Key] ? Key : never }[keyof Members];

/** The members that may be undefined become members that may be missing. */
export type Present<Members> = { [Key in Exclude<keyof Members, Optional<Members>>]: Members[Key] } & {
  [Key in Optional<Members>]?: Exclude<Members[Key], undefined>;
};

/** The object without its undefined members. Their names are those of a table or of code, never of a message: `__proto__` is none of them. */
export function present<Members extends object>(members: Members): Present<Members>;
export function present(members: Readonly<Record<string, unknown>>): object {
  const kept: Record<string, unknown> = {};
  // Of every reply of a model: pairs and a filter would take five times as long.
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
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
