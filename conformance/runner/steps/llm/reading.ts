import { isList, isObject } from '../../values/json.ts';
import type { JsonObject } from '../../values/json.ts';

/** The value at a path; undefined where a step of it is not there. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (isList(inner)) return inner[Number(key)];
    return isObject(inner) ? inner[String(key)] : undefined;
  }, value);
}

/** The list at a path; empty where there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return isList(found) ? found : [];
}

function presentAt(values: readonly unknown[], path: readonly string[]): readonly unknown[] {
  return values.map((value) => at(value, ...path)).filter((value) => value !== undefined && value !== null);
}

/** What the first of the values that has something at the path has there. */
export function first(values: readonly unknown[], ...path: readonly string[]): unknown {
  return presentAt(values, path)[0];
}

/** What the last of the values that has something at the path has there. */
export function last(values: readonly unknown[], ...path: readonly string[]): unknown {
  return presentAt(values, path).at(-1);
}

/** The texts one after another; undefined where there is none at all. */
export function joinTexts(values: readonly unknown[], ...path: readonly string[]): string | undefined {
  const texts = presentAt(values, path);
  return texts.length === 0 ? undefined : texts.map(String).join('');
}

/** Content as text: a text, or the texts of its parts. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  return isList(content) ? joinTexts(content, 'text') : undefined;
}

/** What a JSON text says; anything else as it is. */
export function jsonOr(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // a case sees what came
  }
}

/** The value, or an empty object in its place. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The members that have a value. */
export function withoutUndefined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> };
export function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
