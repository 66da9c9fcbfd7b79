import type { z } from 'zod';
import { findsNoteBelow, noteAt, schemasOfMember } from './schema-tree.ts';
import type { Path, Violation } from './violation.ts';

/**
 * What is wrong with a resource that may be submitted all the same: the documents refuse it when it is translated, so the one who
 * submits it is warned, and its status says so. docs/decisions/definitions.md
 */
export function translationProblems(schema: z.core.$ZodType, value: unknown, path: Path = []): Violation[] {
  if (typeof value !== 'object' || value === null || !holdsRules(schema)) return [];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : Object.entries(value);
  return members.flatMap(([step, member]) => {
    const at = [...path, step];
    const rule = noteAt(schema, [step], 'translation');
    const message = rule?.problemOf(member);
    const inner = schemasOfMember(schema, step).flatMap((one) => translationProblems(one, member, at));
    return rule === undefined || message === undefined ? inner : [{ path: at, message, clause: rule.clause }, ...inner];
  });
}

const holdsRules = findsNoteBelow('translation');
