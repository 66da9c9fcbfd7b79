import { isJsonList, isJsonObject, type Json } from '../../base/json.ts';
import { inPatchOrder } from './element-order.ts';
import { isKeyedList, keyOf, type Shape } from './merge-keys.ts';

/** A directive about a list that stands beside it, and that list. */
export interface ListDirective {
  /** `$setElementOrder/FIELD` or `$deleteFromPrimitiveList/FIELD`. */
  readonly key: string;
  readonly argument: Json;
  /** The list as the patch made it. */
  readonly items: Json | undefined;
  /** The list before the patch. */
  readonly before: Json | undefined;
}

export function isListDirective(key: string): boolean {
  return key.startsWith('$') && key !== '$patch';
}

/** The list as the directive wants it; undefined when it is no directive, or none for a list. */
export function followDirective(
  { key, argument, items = [], before = [] }: ListDirective,
  list: Shape[string] | undefined,
): readonly Json[] | undefined {
  if (!isJsonList(argument) || !isJsonList(items)) return undefined;
  const name = (item: Json): string =>
    isKeyedList(list) && isJsonObject(item) ? keyOf(item, list) : JSON.stringify(item);
  if (key.startsWith('$deleteFromPrimitiveList/')) {
    const gone = new Set(argument.map(name));
    return items.filter((item) => !gone.has(name(item)));
  }
  if (!key.startsWith('$setElementOrder/')) return undefined;
  const byName = new Map(items.map((item) => [name(item), item]));
  const known = isJsonList(before) ? before.map(name) : [];
  return inPatchOrder([...byName.keys()], argument.map(name), known).flatMap((each) => byName.get(each) ?? []);
}
