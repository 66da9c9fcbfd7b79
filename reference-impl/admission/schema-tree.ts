import { z } from 'zod';
import { perObject } from '../base/per-object.ts';
import { type Notes, notesOf } from '../resources/notes.ts';
import type { Path } from './violation.ts';

/** The schemas a member of a value may have, given the schema of the value; several under a union. */
export function schemasOfMember(schema: z.core.$ZodType, step: string | number): z.core.$ZodType[] {
  return unwrap(schema).flatMap((inner) => {
    if (inner instanceof z.ZodObject) {
      const shape: Readonly<Record<string, unknown>> = inner.shape;
      const member = Object.hasOwn(shape, step) ? shape[step] : undefined;
      return member instanceof z.ZodType ? [member] : [];
    }
    if (inner instanceof z.ZodArray) return [inner.element];
    if (inner instanceof z.ZodRecord) return [inner.valueType];
    return [];
  });
}

/** The schemas a path leads to; several under a union, none beyond what the schema knows. */
function schemasAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType[] {
  let level: z.core.$ZodType[] = [schema];
  for (const step of path) level = level.flatMap((candidate) => schemasOfMember(candidate, step));
  return level;
}

/**
 * Asks whether any schema below another one, at whatever depth, is of a kind. A walk that looks for something rare in a resource leaves
 * out with it what cannot hold any. The answer is remembered by schema.
 */
export function findsBelow(isOfKind: (schema: z.core.$ZodType) => boolean): (schema: z.core.$ZodType) => boolean {
  const finds = perObject((schema: z.core.$ZodType): boolean =>
    unwrap(schema)
      .flatMap(membersOf)
      .some((member) => isOfKind(member) || finds(member)),
  );
  return finds;
}

function membersOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) return Object.values<z.core.$ZodType>(schema.shape);
  if (schema instanceof z.ZodArray) return [schema.element];
  return schema instanceof z.ZodRecord ? [schema.valueType] : [];
}

/** The field names known at a path. */
export function fieldsAt(schema: z.core.$ZodType, path: Path): string[] {
  return schemasAt(schema, path)
    .flatMap(unwrap)
    .flatMap((inner) => (inner instanceof z.ZodObject ? Object.keys(inner.shape) : []));
}

/** The first note of this kind on what a path leads to. */
export function noteAt<Name extends keyof Notes>(
  schema: z.core.$ZodType,
  path: Path,
  name: Name,
): Notes[Name] | undefined {
  for (const candidate of schemasAt(schema, path)) {
    const note = notesAround(candidate).find((notes) => notes[name] !== undefined)?.[name];
    if (note !== undefined) return note;
  }
  return undefined;
}

/** Asks whether any schema below another one has a note of this kind. */
export function findsNoteBelow(name: keyof Notes): (schema: z.core.$ZodType) => boolean {
  return findsBelow((schema) => notesAround(schema).some((notes) => notes[name] !== undefined));
}

/** Every resource asks for the notes of the same schemas. */
const notesAround = perObject((schema: z.core.$ZodType): readonly Notes[] =>
  [schema, withoutOptional(schema), ...unwrap(schema)].map(notesOf),
);

/** Without the optional wrappers, and with unions taken apart. */
export const unwrap = perObject((schema: z.core.$ZodType): readonly z.core.$ZodType[] => {
  const inner = withoutOptional(schema);
  return inner instanceof z.ZodUnion ? inner.options.flatMap(unwrap) : [inner];
});

function withoutOptional(schema: z.core.$ZodType): z.core.$ZodType {
  const wraps =
    schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable;
  return wraps ? withoutOptional(schema.unwrap()) : schema;
}
