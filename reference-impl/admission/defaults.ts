import { z } from 'zod';
import { isFields } from '../resources/groups.ts';
import { KINDS, type Resource } from '../resources/kinds.ts';
import { notesOf } from '../resources/notes.ts';
import { schemasOfMember, unwrap } from './schema-tree.ts';

/**
 * A copy of a resource that shows what the proxy assumes for absent fields with a fixed default. Blocks that are absent stay
 * absent: to a merge, a block that is set differs from one that is not.
 */
export function withDefaults(resource: Resource): unknown {
  return fillDefaults(KINDS[resource.kind].schema, resource);
}

function fillDefaults(schema: z.core.$ZodType, value: unknown): unknown {
  const memberOf = (step: string | number, member: unknown): unknown => {
    const [inner] = schemasOfMember(schema, step);
    return inner === undefined ? member : fillDefaults(inner, member);
  };
  if (Array.isArray(value)) return value.map((item: unknown, index) => memberOf(index, item));
  if (!isFields(value)) return value;
  const set = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, memberOf(name, member)]));
  return { ...defaultsOf(schema, value), ...set };
}

/** A policy with `conditional` is a list of policies and has no fields of its own. */
function defaultsOf(schema: z.core.$ZodType, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if ('conditional' in value) return {};
  const absent = unwrap(schema).flatMap((inner) =>
    inner instanceof z.ZodObject ? Object.entries(inner.shape).filter(([name]) => value[name] === undefined) : [],
  );
  return Object.fromEntries(
    absent.flatMap(([name, member]) => {
      const found = unwrap(member).map((inner) => notesOf(inner).default);
      const assumed = [notesOf(member).default, ...found].find((one) => one !== undefined);
      return assumed === undefined ? [] : [[name, assumed]];
    }),
  );
}
