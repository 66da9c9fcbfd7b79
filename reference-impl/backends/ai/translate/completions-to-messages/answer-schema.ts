import { asString, isJson, present, type Json } from '../../json.ts';

/**
 * The schema of an answer as the provider takes it: every object closed, and of the limits to values only those it can keep.
 * The others are told to the model in the description. docs/decisions/ai-formats.md
 */
export function answerSchema(schema: Json): Json {
  const entries = Object.entries(schema);
  const members = entries.filter(([keyword, value]) => isKept(keyword, value)).map(member);
  const told = entries.filter(([keyword, value]) => isTold(keyword) && !isKept(keyword, value));
  const description = [asString(schema['description']), ...told.map(inWords)].filter((text) => text !== undefined);
  return present({
    ...Object.fromEntries(members),
    description: description.length === 0 ? undefined : description.join(' '),
    additionalProperties: isObjectSchema(schema) ? false : undefined,
  });
}

function isObjectSchema({ type, properties }: Json): boolean {
  return [type].flat().includes('object') || (type === undefined && isJson(properties));
}

/** Keywords of every value that the provider takes; those of it that have schemas in them say where. */
const KEPT: Readonly<Record<string, 'schema' | 'schemas' | 'named schemas' | undefined>> = {
  type: undefined,
  enum: undefined,
  const: undefined,
  title: undefined,
  default: undefined,
  required: undefined,
  $ref: undefined,
  items: 'schema',
  anyOf: 'schemas',
  oneOf: 'schemas',
  allOf: 'schemas',
  properties: 'named schemas',
  $defs: 'named schemas',
  definitions: 'named schemas',
};

/** What JSON Schema says beside values: the model need not know it. */
const REMARKS: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', 'additionalProperties', 'description']);

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** What regular expressions of the provider do not have: looking around, references back, edges of words. */
const HARD_PATTERN = /\(\?[=!<]|\\[bB1-9]/;

function isKept(keyword: string, value: unknown): boolean {
  if (keyword === 'format') return FORMATS.has(value);
  if (keyword === 'minItems') return value === 0 || value === 1;
  if (keyword === 'pattern') return typeof value === 'string' && !HARD_PATTERN.test(value);
  return Object.hasOwn(KEPT, keyword);
}

function isTold(keyword: string): boolean {
  return !REMARKS.has(keyword);
}

function inWords([keyword, value]: readonly [string, unknown]): string {
  return `(${keyword}: ${JSON.stringify(value)})`;
}

/** The provider knows `oneOf` as `anyOf`. */
function member([keyword, value]: readonly [string, unknown]): readonly [string, unknown] {
  const name = keyword === 'oneOf' ? 'anyOf' : keyword;
  const holds = KEPT[keyword];
  if (holds === 'schema') return [name, within(value)];
  if (holds === 'schemas' && Array.isArray(value)) return [name, value.map(within)];
  if (holds !== 'named schemas' || !isJson(value)) return [name, value];
  return [name, Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, within(schema)]))];
}

function within(value: unknown): unknown {
  return isJson(value) ? answerSchema(value) : value;
}
