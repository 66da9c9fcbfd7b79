import { z } from 'zod';
import type { Path } from './violation.ts';

/** The schemas a member of a value may have, given the schema of the value; several under a union. */
export function schemasOfMember(schema: z.core.$ZodType, step: string | number): z.core.$ZodType[] {
  return unwrapped(schema).flatMap((inner) => {
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

/** The field names known at a path. */
export function fieldsAt(schema: z.core.$ZodType, path: Path): string[] {
  let level: z.core.$ZodType[] = [schema];
  for (const step of path) level = level.flatMap((candidate) => schemasOfMember(candidate, step));
  return level.flatMap(unwrapped).flatMap((inner) => (inner instanceof z.ZodObject ? Object.keys(inner.shape) : []));
}

/** Without the optional wrappers, and with unions taken apart. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable) {
    return unwrapped(schema.unwrap());
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrapped);
  return [schema];
}
