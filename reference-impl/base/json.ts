/** Plain data, as JSON and YAML can say it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [field: string]: Json;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isJsonList(value);
}

export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Admitted resources are plain data, but loose schemas do not say so; members that are not there stay away. */
export function jsonOf(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(jsonOf);
  return typeof value === 'object' && value !== null ? jsonObjectOf(value) : null;
}

/** The members of an object as plain data. */
export function jsonObjectOf(value: object): JsonObject {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]: [string, unknown]) => [name, jsonOf(member)]));
}
