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
  return rule(
    schema,
    clause,
    (value) => setOf(value, fields).length === 1,
    (value) => {
      const found = setOf(value, fields);
      const wanted = `exactly one of ${fields.join(', ')} must be set`;
      return found.length === 0 ? `${wanted}, none is` : `${wanted}, not ${found.join(' and ')}`;
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
    (value) => `at most one of ${fields.join(', ')} may be set, not ${setOf(value, fields).join(' and ')}`,
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
    () => `at least one of ${fields.join(', ')} must be set`,
  );
}

/** `holds` sees the object as it was submitted, with nothing known about its fields. */
export function rule<Schema extends z.ZodType>(
  schema: Schema,
  clause: string,
  holds: (value: Fields) => boolean,
  message: string | ((value: Fields) => string),
): Schema {
  return schema.refine((value) => !isFields(value) || holds(value), {
    when: (payload) => isFields(payload.value),
    params: { clause },
    error: (issue) => (typeof message === 'string' ? message : message(isFields(issue.input) ? issue.input : {})),
  });
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function setOf(value: Fields, fields: readonly string[]): string[] {
  return fields.filter((field) => value[field] !== undefined);
}
