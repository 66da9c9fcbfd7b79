import { z } from 'zod';
import { type Fields, isFields } from '../../resources/groups.ts';
import { KINDS } from '../../resources/kinds.ts';
import type { ServedKind } from './served-kinds.ts';
import { DESCRIPTIONS } from './descriptions.ts';

/** The schema of a kind as clients read it: for explaining fields, not for checking them, which admission does. */
export function schemaOf(kind: ServedKind): Fields {
  const { schema } = KINDS[kind.name];
  const generated = z.toJSONSchema(schema, {
    io: 'input',
    target: 'openapi-3.0',
    reused: 'inline',
    unrepresentable: 'any',
  });
  const structural = structuralSchema(generated);
  const { group, version, name } = kind;
  return {
    description: DESCRIPTIONS[name],
    ...structural,
    'x-kubernetes-group-version-kind': [{ group, version, kind: name }],
  };
}

/** What is known about a value that may be anything. */
const ANYTHING: Fields = { 'x-kubernetes-preserve-unknown-fields': true };

/** The members of a schema that are taken over as they are. */
const KEPT: readonly string[] = [
  'description',
  'type',
  'format',
  'enum',
  'nullable',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'required',
  'default',
];

/** Alternatives of an object become one object with the fields of all of them: clients list fields, nothing more. */
function structuralSchema(schema: unknown): Fields {
  if (!isFields(schema) || schema['$ref'] !== undefined || Object.keys(schema).length === 0) return ANYTHING;
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) return unitedSchema(alternatives.map(structuralSchema));

  const kept = KEPT.flatMap((member) => (schema[member] === undefined ? [] : [[member, schema[member]] as const]));
  const { properties, items, additionalProperties } = schema;
  return {
    ...Object.fromEntries(kept),
    ...(isFields(properties) && Object.keys(properties).length > 0
      ? { properties: structuralMembers(properties) }
      : {}),
    ...(items === undefined ? {} : { items: structuralSchema(items) }),
    ...(isFields(additionalProperties) ? { additionalProperties: structuralSchema(additionalProperties) } : {}),
  };
}

function structuralMembers(properties: Fields): Fields {
  return Object.fromEntries(Object.entries(properties).map(([member, schema]) => [member, structuralSchema(schema)]));
}

function unitedSchema(alternatives: readonly Fields[]): Fields {
  const types = new Set(alternatives.map(({ type }) => type));
  if (types.size === 1 && types.has('object')) {
    const members = alternatives.flatMap(({ properties }) => (isFields(properties) ? Object.entries(properties) : []));
    return { type: 'object', properties: Object.fromEntries(members) };
  }
  const [first] = alternatives;
  if (types.size === 1 && first !== undefined) return { type: first['type'] };
  const plain = [...types].every((type) => type === 'string' || type === 'integer' || type === 'number');
  return plain ? { 'x-kubernetes-int-or-string': true } : ANYTHING;
}
