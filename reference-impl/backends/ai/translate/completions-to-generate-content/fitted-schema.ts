import { asList, asObject, asObjects, asString, entryOf, isJson, present, type Json } from '../../../json.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** How many more schemas there may be: references refer to references, and what stands beside a choice is told with each. */
export interface SchemaBudget {
  left: number;
}

/** Throws UnsupportedByFormat when nothing is left. */
export function takeFrom(budget: SchemaBudget): void {
  budget.left -= 1;
  if (budget.left < 0) throw new UnsupportedByFormat('a schema is too large');
}

/**
 * A schema in the words of the provider with what it demands of them: a type everywhere, enums of texts alone, the formats it
 * knows, items in every array, nothing required that is not there, and no other word beside `anyOf`.
 * Takes from `budget` and throws UnsupportedByFormat when nothing is left. docs/decisions/ai-formats.md
 */
export function fittedSchema({ anyOf, ...own }: Json, budget: SchemaBudget): Json {
  takeFrom(budget);
  const choices = asObjects(anyOf).map((choice) => fittedSchema(joinSchemas(own, choice), budget));
  if (choices.length === 0) return fittedAlone(own, budget);
  return {
    anyOf: choices.flatMap((choice) => (choice['anyOf'] === undefined ? [choice] : asObjects(choice['anyOf']))),
  };
}

/** The parameters of a function are one object: of several, one with the members of each. */
export function fittedParameters(schema: Json): Json {
  const choices = asObjects(schema['anyOf']);
  if (choices.length === 0) return schema;
  const members = choices.flatMap(({ properties }) => Object.entries(asObject(properties) ?? {}));
  const names = [...new Set(members.map(([name]) => name))];
  const required = names.filter((name) => choices.every((choice) => asList(choice['required']).includes(name)));
  return present({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, eitherOf(members.filter(([own]) => own === name))])),
    required: required.length === 0 ? undefined : required,
  });
}

/** What one name stands for in several objects; what tells them apart may have the value of each. */
function eitherOf(members: readonly (readonly [name: string, schema: unknown])[]): Json {
  const schemas = asObjects(members.map(([, schema]) => schema));
  const [first = {}] = schemas;
  const values = schemas.flatMap((schema) => asList(schema['enum']));
  if (schemas.every((schema) => schema['enum'] !== undefined)) return { ...first, enum: [...new Set(values)] };
  return schemas.find((schema) => schema['enum'] === undefined) ?? first;
}

/** What stands beside a choice holds for each of its alternatives. */
function joinSchemas(own: Json, choice: Json): Json {
  const properties = { ...asObject(own['properties']), ...asObject(choice['properties']) };
  const required = [...new Set([...asList(own['required']), ...asList(choice['required'])])];
  return { ...own, ...choice, properties, required };
}

function fittedAlone({ enum: values, format, items, properties, required, ...rest }: Json, budget: SchemaBudget): Json {
  const type = asString(rest['type']) ?? typeOf(values, items, properties);
  return present({
    ...rest,
    type,
    ...fittedEnum(type, asList(values), rest),
    format: entryOf(FORMATS, type)?.has(format) === true ? format : undefined,
    ...(type === 'array' && { items: isJson(items) ? fittedSchema(items, budget) : TEXT }),
    ...(type === 'object' && fittedMembers(asObject(properties) ?? {}, required, budget)),
  });
}

const TEXT: Json = { type: 'string' };

/** The provider wants a type where JSON Schema does without: what the other words speak of, else a text. */
function typeOf(values: unknown, items: unknown, properties: unknown): string {
  const value = asList(values).find((one) => one !== null);
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (items !== undefined) return 'array';
  return Object.keys(asObject(properties) ?? {}).length === 0 ? 'string' : 'object';
}

/** Other values than texts are told in words. */
function fittedEnum(type: string, values: readonly unknown[], { description }: Json): Json {
  const real = values.filter((value) => value !== null);
  const nullable = real.length < values.length ? { nullable: true } : {};
  if (real.length === 0) return nullable;
  if (type === 'string') return { ...nullable, enum: real.filter((value) => typeof value === 'string') };
  const told = `One of ${real.map((value) => JSON.stringify(value)).join(', ')}.`;
  return { ...nullable, description: [asString(description), told].filter((text) => text !== undefined).join(' ') };
}

const FORMATS: Readonly<Record<string, ReadonlySet<unknown>>> = {
  string: new Set(['enum', 'date-time']),
  number: new Set(['float', 'double']),
  integer: new Set(['int32', 'int64']),
};

function fittedMembers(properties: Json, required: unknown, budget: SchemaBudget): Json {
  const members = Object.entries(properties).map(
    ([name, schema]) => [name, fittedSchema(asObject(schema) ?? {}, budget)] as const,
  );
  const there = asList(required).filter((name) => typeof name === 'string' && Object.hasOwn(properties, name));
  return present({
    properties: members.length === 0 ? undefined : Object.fromEntries(members),
    required: there.length === 0 ? undefined : there,
  });
}
