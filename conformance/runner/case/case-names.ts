import { isList, isObject, type JsonObject } from '../values/json.ts';
import { namesIn, resultOf } from '../values/expressions/names.ts';
import { expressionsIn, headerExpressionsIn } from '../values/expressions/places.ts';
import type { ConcreteCase } from './concrete-case.ts';

/** What the expressions of a case name, each once: those of its configuration and of resources in its steps. */
export function namesOf(one: ConcreteCase): readonly string[] {
  return [...new Set(resourcesOf(one).flatMap(expressionsIn).flatMap(namesIn))];
}

/** Expressions of headers that plainly give a number or a boolean. */
export function headersWithoutText(one: ConcreteCase): readonly string[] {
  const texts = resourcesOf(one).flatMap(headerExpressionsIn);
  return texts.filter((text) => !['text', undefined].includes(resultOf(text)));
}

function resourcesOf({ config, steps }: ConcreteCase): readonly JsonObject[] {
  return [...config, ...resourcesBelow(steps.map(({ input }) => input))];
}

/** Everything that looks like a resource. */
function resourcesBelow(value: unknown): readonly JsonObject[] {
  if (isList(value)) return value.flatMap(resourcesBelow);
  if (!isObject(value)) return [];
  const own = typeof value['kind'] === 'string' && isObject(value['spec']) ? [value] : [];
  return [...own, ...Object.values(value).flatMap(resourcesBelow)];
}
