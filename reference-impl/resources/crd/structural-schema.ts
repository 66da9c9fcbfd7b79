import { z } from 'zod';
import { notesOf, type Validation } from '../notes.ts';
import { checkFacts, validationsOf } from './check-facts.ts';
import { descriptionOf } from './description.ts';

/** One node of an OpenAPI v3 schema, as `apiextensions.k8s.io/v1` takes it. */
export type StructuralSchema = { readonly [keyword: string]: unknown };

/**
 * The structural schema of a kind or a part of one: types everywhere, no references, no `additionalProperties: false`.
 * Defaults stand in descriptions, because an API server would write a `default` into what people submit, and a policy
 * that sets a field differs from one that does not. Throws on a schema it has no words for.
 */
export function structuralSchema(schema: z.core.$ZodType): StructuralSchema {
  const { description, ...facts } = shapeOf(schema);
  const rules = [...validationsOf(schema), ...(notesOf(schema).validations ?? [])].map(oneLine);
  const words = descriptionOf(schema);
  const own: unknown = facts['x-kubernetes-validations'];
  const inner: readonly unknown[] = Array.isArray(own) ? own : [];
  const all = [...inner, ...rules];
  return {
    ...((words ?? description) !== undefined && { description: words ?? description }),
    ...facts,
    ...(all.length > 0 && { 'x-kubernetes-validations': all }),
  };
}

function shapeOf(schema: z.core.$ZodType): StructuralSchema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional) return structuralSchema(schema.unwrap());
  if (schema instanceof z.ZodNullable) return { ...structuralSchema(schema.unwrap()), nullable: true };
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat)
    return { type: 'string', ...checkFacts(schema) };
  if (schema instanceof z.ZodNumber) return { type: isInteger(schema) ? 'integer' : 'number', ...checkFacts(schema) };
  if (schema instanceof z.ZodBoolean) return { type: 'boolean' };
  if (schema instanceof z.ZodEnum) return { type: 'string', enum: schema.options };
  if (schema instanceof z.ZodLiteral) return { type: 'string', enum: [...schema.values] };
  if (schema instanceof z.ZodArray)
    return { type: 'array', ...checkFacts(schema), items: structuralSchema(schema.element) };
  if (schema instanceof z.ZodRecord)
    return { type: 'object', ...checkFacts(schema), additionalProperties: structuralSchema(schema.valueType) };
  if (schema instanceof z.ZodObject) return objectShape(schema);
  if (schema instanceof z.ZodUnion) return unionShape(schema);
  // The only recursive schema is that of any JSON value; an API server would take a null away that is not named.
  if (schema instanceof z.ZodLazy) return { nullable: true, 'x-kubernetes-preserve-unknown-fields': true };
  throw new Error('a kind uses a schema that has no structural form');
}

function objectShape(schema: z.ZodObject): StructuralSchema {
  const entries = Object.entries(schema.shape);
  const required = entries.filter(([, member]) => !isOptional(member)).map(([name]) => name);
  const isLoose = schema.def.catchall instanceof z.ZodUnknown;
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(entries.length > 0 && {
      properties: Object.fromEntries(entries.map(([name, member]) => [name, structuralSchema(member)])),
    }),
    ...(isLoose && { 'x-kubernetes-preserve-unknown-fields': true }),
  };
}

function unionShape(schema: z.ZodUnion): StructuralSchema {
  const [entries, plain] = schema.options;
  if (entries instanceof z.ZodObject && plain instanceof z.ZodObject) return conditionalShape(entries, plain);
  // Beside policies that may be conditional, a number or a text is the only choice there is.
  const options = schema.options.map((option) => shapeOf(option));
  const facts = options.map((option) => Object.entries(option).filter(([keyword]) => keyword !== 'type'));
  return { ...Object.fromEntries(facts.flat()), 'x-kubernetes-int-or-string': true };
}

/** Both forms in one object: what the plain form demands is demanded where `conditional` is not set. */
function conditionalShape(entries: z.ZodObject, plain: z.ZodObject): StructuralSchema {
  const { required: _, ...shape } = objectShape(plain);
  const members = Object.entries(plain.shape);
  const needs = members
    .filter(([, member]) => !isOptional(member))
    .map(([name]) => ({ rule: `has(self.${name})`, message: `${name} is required` }));
  const rules = [
    {
      rule: `!has(self.conditional) || (${members.map(([name]) => `!has(self.${name})`).join(' && ')})`,
      message: 'either conditional or the fields of the policy may be set, not both',
    },
    ...validationsOf(entries).map(({ rule, message }) => ({ rule: `!has(self.conditional) || ${rule}`, message })),
    ...[...needs, ...validationsOf(plain)].map(({ rule, message }) => ({
      rule: `has(self.conditional) || (${rule})`,
      message,
    })),
  ];
  return {
    ...shape,
    properties: { ...Object(shape['properties']), ...Object(objectShape(entries)['properties']) },
    'x-kubernetes-validations': rules.map(oneLine),
  };
}

function isInteger(schema: z.ZodNumber): boolean {
  return schema.isInt;
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional;
}

function oneLine({ rule, message }: Validation): Validation {
  return { rule: rule.replaceAll(/\s+/g, ' ').trim(), message };
}
