import { isJsonObject } from '../../../json.ts';

/**
 * Why vendor4 and cloud A do not take the schema of an answer; undefined when they do. Objects are closed; limits to numbers, lengths
 * and how many there are cannot be kept, but for `minItems` of 0 or 1; nothing contains itself.
 */
export function answerSchemaProblem(schema: unknown): string | undefined {
  if (isJsonObject(schema) && isEndless(schema, schema, [])) return 'Recursive schemas are not supported';
  return schemaLimit(schema);
}

function isEndless(value: unknown, root: unknown, open: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((one) => isEndless(one, root, open));
  if (!isJsonObject(value)) return false;
  const { $ref: reference } = value;
  if (typeof reference === 'string') {
    if (reference === '#' || open.includes(reference)) return true;
    const [, kind = '', name = ''] = /^#\/([^/]+)\/([^/]+)$/.exec(reference) ?? [];
    const named = isJsonObject(root) ? root[kind] : undefined;
    if (isJsonObject(named) && isEndless(named[name], root, [...open, reference])) return true;
  }
  return Object.values(value).some((one) => isEndless(one, root, open));
}

function schemaLimit(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { type, properties, $defs, definitions, anyOf, oneOf, allOf, items, minItems } = schema;
  if ([type].flat().includes('object') && schema['additionalProperties'] !== false)
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  if (minItems !== undefined && minItems !== 0 && minItems !== 1)
    return "'minItems' values other than 0 or 1 are not supported";
  const refused = Object.keys(schema).find((keyword) => NOT_KEPT.has(keyword));
  if (refused !== undefined) return `For '${String(type)}' type, property '${refused}' is not supported`;
  const named = [properties, $defs, definitions].flatMap((map) => (isJsonObject(map) ? Object.values(map) : []));
  const listed = [anyOf, oneOf, allOf].flatMap(listOf);
  return [...named, ...listed, items].map((one) => schemaLimit(one)).find((why) => why !== undefined);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const NOT_KEPT: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
]);
