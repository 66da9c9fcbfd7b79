/** What a text says as JSON; undefined where it is none, and whoever asked says what that means. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** A JSON object. */
export interface Json {
  readonly [member: string]: unknown;
}

/** The same for texts that have to be an object: no list, not null. */
export function parseJsonObject(text: string): Json | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** Whether a value is an object: no list, not null. */
export function isJsonObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
