import { z } from 'zod';
import { schemasOfMember } from './schema-tree.ts';

/**
 * The value without members that are null where the schema has another idea of them: they count as not written, as on an API server.
 * Items of lists stay, and so do members the schema does not know or whose value may be anything. docs/decisions/definitions.md
 */
export function withoutNulls(schema: z.core.$ZodType, value: unknown): unknown {
  return holdsNull(value) ? dropNulls(schema, value) : value;
}

function holdsNull(value: unknown): boolean {
  if (typeof value !== 'object') return false;
  return value === null || Object.values(value).some(holdsNull);
}

function dropNulls(schema: z.core.$ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown, index) => dropMember(schema, index, item));
  const kept = Object.entries(value).filter(([name, member]) => member !== null || mayBeNull(schema, name));
  return Object.fromEntries(kept.map(([name, member]) => [name, dropMember(schema, name, member)]));
}

function dropMember(schema: z.core.$ZodType, step: string | number, member: unknown): unknown {
  return schemasOfMember(schema, step).reduce((left: unknown, inner) => dropNulls(inner, left), member);
}

function mayBeNull(schema: z.core.$ZodType, name: string): boolean {
  const known = schemasOfMember(schema, name);
  return known.length === 0 || known.some((inner) => z.safeParse(inner, null).success);
}
