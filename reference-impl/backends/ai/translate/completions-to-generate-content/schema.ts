import { asList, asObject, asObjects, asString, entryOf, isJson, type Json } from '../../json.ts';
import { UnsupportedByFormat } from '../translation.ts';

/**
 * A JSON Schema in the words the provider knows: references replaced by what they refer to, `allOf` by one schema,
 * `const` by `enum`, null as a type by `nullable`; keywords it would refuse are left out. Throws UnsupportedByFormat for a
 * schema that has no end or that grows without bound.
 */
export function normalisedSchema(schema: Json): Json {
  return normalise(schema, { root: schema, budget: { left: MOST_SCHEMAS }, open: [] });
}

/** References may refer to references: a small schema can stand for a huge one. */
const MOST_SCHEMAS = 10_000;

interface Place {
  readonly root: Json;
  readonly budget: { left: number };
  /** The references that led here. */
  readonly open: readonly string[];
}

function normalise(written: Json, from: Place): Json {
  from.budget.left -= 1;
  if (from.budget.left < 0) throw new UnsupportedByFormat('a schema is too large');
  const { schema, place } = resolveRef(written, from);
  const whole = flatten(schema, place);
  const kept = Object.entries(whole).filter(([keyword]) => KEPT.has(keyword));
  return asTyped({
    ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, inner(keyword, value, place)])),
    ...withType(whole, place),
  });
}

/** The provider has enums of texts alone, few formats, and no array without items. */
function asTyped({ enum: values, format, ...schema }: Json): Json {
  const texts = Array.isArray(values) && values.every((value) => typeof value === 'string');
  const type = schema['type'] ?? (texts ? 'string' : undefined);
  return {
    ...schema,
    ...(type !== undefined && { type }),
    ...(texts && type === 'string' && { enum: values }),
    ...(entryOf(FORMATS, type)?.has(format) === true && { format }),
    ...(type === 'array' && schema['items'] === undefined && { items: { type: 'string' } }),
  };
}

const FORMATS: Readonly<Record<string, ReadonlySet<unknown>>> = {
  string: new Set(['enum', 'date-time']),
  number: new Set(['float', 'double']),
  integer: new Set(['int32', 'int64']),
};

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
  'items',
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
  if (keyword === 'items' && isJson(value)) return normalise(value, place);
  if (keyword !== 'properties') return value;
  const properties = Object.entries(asObject(value) ?? {});
  return Object.fromEntries(properties.map(([name, schema]) => [name, isJson(schema) ? normalise(schema, place) : {}]));
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
    ...(plain.length > 1 && { anyOf: plain.map((type) => asTyped({ type })) }),
    ...(alternatives.length === 1 ? only : alternatives.length > 1 && { anyOf: alternatives }),
    ...((plain.length < types.length || real.length < choices.length) && { nullable: true }),
  };
}
