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
    oneOf(fields),
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
    notTwoOf(fields),
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
    presenceTests(fields).join(' || '),
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

// As CEL, and as short as it can be: a definition repeats each rule wherever its block stands.
function oneOf(fields: readonly string[]): string {
  const all = presenceTests(fields);
  return all.length <= 2 ? all.join(' != ') : `[${all.join(', ')}].exists_one(x, x)`;
}

function notTwoOf(fields: readonly string[]): string {
  const all = presenceTests(fields);
  return all.length <= 2 ? all.map((set) => `!${set}`).join(' || ') : `[${all.join(', ')}].filter(x, x).size() <= 1`;
}

function presenceTests(fields: readonly string[]): readonly string[] {
  return fields.map((field) => `has(self.${field})`);
}
