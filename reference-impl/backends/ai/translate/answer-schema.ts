import { asString, isJson, present, type Json } from '../../json.ts';
import { UnsupportedByFormat } from './translation.ts';

/**
 * The schema of an answer as messages and Converse take it: every object closed, and of the limits to values only those they can
 * keep. The others are told to the model in the description. Throws UnsupportedByFormat for a schema that contains itself, which
 * neither can keep. docs/decisions/ai-formats.md
 */
export function answerSchema(schema: Json): Json {
  refuseEndless(schema);
  return closed(schema);
}

/** Any object at all is nothing that a provider can be held to: the model is told so in words, behind the system text. */
export function onlyJson(format: Json | undefined): string | undefined {
  return format?.['type'] === 'json_object' ? 'Answer with one JSON object and nothing else.' : undefined;
}

function refuseEndless(root: Json): void {
  /** References whose schemas are looked at just now, and those that are found to end. */
  const open = new Set<string>();
  const ended = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isJson(value)) return;
    const reference = asString(value['$ref']);
    if (reference !== undefined) follow(reference);
    Object.values(value).forEach(visit);
  };
  const follow = (reference: string): void => {
    if (reference === '#' || open.has(reference))
      throw new UnsupportedByFormat(`the provider takes no schema that contains itself, as ${reference} does`);
    if (ended.has(reference)) return;
    open.add(reference);
    visit(schemaAt(root, reference));
    open.delete(reference);
    ended.add(reference);
  };
  // What nothing refers to is looked at too: it may be refused for itself.
  visit(root);
}

/** What a reference within the schema names; undefined for one that leads elsewhere. */
function schemaAt(root: Json, reference: string): unknown {
  const steps = reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  const named = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.length === 0 ? undefined : named.reduce<unknown>((now, step) => memberOf(now, step), root);
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)] as unknown;
  return isJson(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function closed(schema: Json): Json {
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
  return isJson(value) ? closed(value) : value;
}
