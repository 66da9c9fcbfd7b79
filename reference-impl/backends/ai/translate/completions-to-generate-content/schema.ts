import { asList, asObject, asObjects, asString, isJson, type Json } from '../../../json.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { fittedSchema, takeFrom, type SchemaBudget } from './fitted-schema.ts';

/**
 * A JSON Schema in the words the provider knows, and fit for it: references replaced by what they refer to, `allOf` by one
 * schema, `const` by `enum`, null as a type by `nullable`; keywords it would refuse are left out. Throws
 * UnsupportedByFormat for a schema that has no end or that grows without bound. docs/decisions/ai-formats.md
 */
export function normalisedSchema(schema: Json): Json {
  const words = normalise(schema, { root: schema, budget: { left: MOST_SCHEMAS }, open: [] });
  return fittedSchema(words, { left: MOST_SCHEMAS });
}

/** A small schema can stand for a huge one. */
const MOST_SCHEMAS = 10_000;

interface Place {
  readonly root: Json;
  readonly budget: SchemaBudget;
  /** The references that led here. */
  readonly open: readonly string[];
}

function normalise(written: Json, from: Place): Json {
  takeFrom(from.budget);
  const { schema, place } = resolveRef(written, from);
  const whole = flatten(schema, place);
  const kept = Object.entries(whole).filter(([keyword]) => KEPT.has(keyword));
  return {
    ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, inner(keyword, value, place)])),
    ...itemsOf(whole, place),
    ...withType(whole, place),
  };
}

function resolveRef(written: Json, place: Place): { readonly schema: Json; readonly place: Place } {
  const reference = asString(written['$ref']);
  if (reference === undefined) return { schema: written, place };
  if (place.open.includes(reference)) throw new UnsupportedByFormat(`the schema ${reference} contains itself`);
  const { $ref: _, ...beside } = written;
  const target = targetOf(reference, place.root);
  return resolveRef({ ...target, ...beside }, { ...place, open: [...place.open, reference] });
}

function targetOf(reference: string, root: Json): Json {
  const steps = reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((step) => step !== '');
  const names = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const target = names.reduce<unknown>((at, name) => asObject(at)?.[name], root);
  if (reference.startsWith('#') && isJson(target)) return target;
  throw new UnsupportedByFormat(`a schema refers to ${reference}, which is not there`);
}

/** All parts of `allOf` hold, so they are one schema with the members of each. */
function flatten(schema: Json, place: Place): Json {
  const parts = asObjects(schema['allOf']).map((part) => normalise(part, place));
  const { allOf: _, ...own } = schema;
  return [...parts, own].reduce<Json>(
    (all, part) => ({
      ...all,
      ...part,
      ...joinMember('properties', { ...asObject(all['properties']), ...asObject(part['properties']) }),
      ...joinMember('required', [...new Set([...asList(all['required']), ...asList(part['required'])])]),
    }),
    {},
  );
}

function joinMember(member: string, value: object): Json {
  return Object.keys(value).length === 0 ? {} : { [member]: value };
}

const KEPT: ReadonlySet<string> = new Set([
  'title',
  'description',
  'format',
  'enum',
  'default',
  'example',
  'nullable',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'propertyOrdering',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
]);

function inner(keyword: string, value: unknown, place: Place): unknown {
  if (keyword !== 'properties') return value;
  const properties = Object.entries(asObject(value) ?? {});
  return Object.fromEntries(properties.map(([name, schema]) => [name, isJson(schema) ? normalise(schema, place) : {}]));
}

/** What an array holds; a list of schemas, one for each place, is a choice among them. */
function itemsOf({ items, prefixItems }: Json, place: Place): Json {
  const each = asList(prefixItems ?? items);
  const schema = each.length === 0 ? items : { anyOf: each };
  return isJson(schema) ? { items: normalise(schema, place) } : {};
}

/** What kind of value it is: the keywords that are spelled in another way here. */
function withType(schema: Json, place: Place): Json {
  const types = [schema['type']]
    .flat()
    .map(asString)
    .filter((type) => type !== undefined);
  const plain = types.filter((type) => type !== 'null');
  const choices = [...asObjects(schema['anyOf']), ...asObjects(schema['oneOf'])];
  const real = choices.filter((choice) => choice['type'] !== 'null');
  const alternatives = real.map((choice) => normalise(choice, place));
  const [only] = alternatives;
  return {
    ...('const' in schema && { enum: [schema['const']] }),
    ...(plain.length === 1 && { type: plain[0] }),
    ...(plain.length > 1 && { anyOf: plain.map((type) => ({ type })) }),
    ...(alternatives.length === 1 ? only : alternatives.length > 1 && { anyOf: alternatives }),
    ...((plain.length < types.length || real.length < choices.length) && { nullable: true }),
  };
}
