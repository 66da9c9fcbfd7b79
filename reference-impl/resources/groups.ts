import type { z } from 'zod';

/**
 * Rules over which fields of one object are set. Each works on any object schema and runs even when a field of the
 * object is wrong, so that one submission reports everything (ADMIT-153).
 */
export function exactlyOne<Schema extends z.ZodType>(
  schema: Schema,
  clause: string,
  ...fields: readonly string[]
): Schema {
  const wanted = `exactly one of ${fields.join(', ')} must be set`;
  return rule(
    schema,
    clause,
    (value) => setOf(value, fields).length === 1,
    wanted,
    `${countOf(fields)} == 1`,
    (value) => {
      const found = setOf(value, fields);
      return found.length === 0 ? 'none is' : `not ${found.join(' and ')}`;
    },
  );
}

export function atMostOne<Schema extends z.ZodType>(
  schema: Schema,
  clause: string,
  ...fields: readonly string[]
): Schema {
  return rule(
    schema,
    clause,
    (value) => setOf(value, fields).length <= 1,
    `at most one of ${fields.join(', ')} may be set`,
    `${countOf(fields)} <= 1`,
    (value) => `not ${setOf(value, fields).join(' and ')}`,
  );
}

export function atLeastOne<Schema extends z.ZodType>(
  schema: Schema,
  clause: string,
  ...fields: readonly string[]
): Schema {
  return rule(
    schema,
    clause,
    (value) => setOf(value, fields).length > 0,
    `at least one of ${fields.join(', ')} must be set`,
    fields.map((field) => `has(self.${field})`).join(' || '),
  );
}

/**
 * `holds` sees the object as it was submitted, with nothing known about its fields. `cel` says the same in the language
 * of `x-kubernetes-validations`, where `self` is the object; a rule without it is checked by admission alone. `found`
 * adds to the message what is wrong in this one.
 */
export function rule<Schema extends z.ZodType>(
  schema: Schema,
  clause: string,
  holds: (value: Fields) => boolean,
  message: string,
  cel?: string,
  found?: (value: Fields) => string,
): Schema {
  return schema.refine((value) => !isFields(value) || holds(value), {
    when: (payload) => isFields(payload.value),
    params: { clause, message, cel },
    error: (issue) =>
      found === undefined ? message : `${message}, ${found(isFields(issue.input) ? issue.input : {})}`,
  });
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function setOf(value: Fields, fields: readonly string[]): string[] {
  return fields.filter((field) => value[field] !== undefined);
}

/** How many of the fields are set, as CEL. */
function countOf(fields: readonly string[]): string {
  return `[${fields.map((field) => `has(self.${field})`).join(', ')}].filter(set, set).size()`;
}
