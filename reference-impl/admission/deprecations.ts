import type { z } from 'zod';
import { findsNoteBelow, noteAt, schemasOfMember } from './schema-tree.ts';
import type { Path, Violation } from './violation.ts';

/** The deprecated fields a resource uses, with what to use instead. */
export function deprecationWarnings(schema: z.core.$ZodType, value: unknown, path: Path = []): Violation[] {
  if (typeof value !== 'object' || value === null || !holdsDeprecated(schema)) return [];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : Object.entries(value);
  return members.flatMap(([step, member]) => {
    const at = [...path, step];
    const instead = noteAt(schema, [step], 'deprecated');
    const inner = schemasOfMember(schema, step).flatMap((one) => deprecationWarnings(one, member, at));
    return instead === undefined ? inner : [{ path: at, message: `deprecated: ${instead}` }, ...inner];
  });
}

const holdsDeprecated = findsNoteBelow('deprecated');
